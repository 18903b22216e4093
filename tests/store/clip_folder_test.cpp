// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Commits that end whole whatever they are cut by, and looks that change nothing.
#include "plugin/store/clip_folder.h"

#include <filesystem>
#include <fstream>

#include "plugin/base/durable_file.h"
#include "plugin/store/store_listing.h"
#include "tests/store/store_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class ClipFolderTest : public StoreTest {
 protected:
  ClipFolderTest() : record_(record_of("a", ClipState::submitted)), path_(path_of(record_)) {
    record_.clip_name = "clip.mp4";
    record_.clip_size = clip_.size();
  }

  // Up to the operation of the commit at which the process dies; 0: to its end. How many operations it took.
  size_t commit(size_t dies_at = 0) {
    ClipFolder folder(files_, path_);
    const auto lock = folder.lock_writer(on_damage());
    expect_locked(lock);
    auto part = taken(folder.open_part());
    EXPECT_TRUE(part->write_at(0, std::as_bytes(std::span(clip_))));
    EXPECT_TRUE(folder.write_record(record_of("a", ClipState::submitted)));
    const size_t before = files_.operations();
    if (dies_at != 0) files_.die_at(before + dies_at);
    ClipRecord record = record_;
    const bool committed = static_cast<bool>(folder.commit(*part, record));
    // Only the removal of what is left over may fail.
    EXPECT_TRUE(committed ? record.state == ClipState::complete : files_.is_dead());
    return files_.operations() - before;
  }
  static void expect_locked(const Result<std::optional<StoreLock>> &lock) { EXPECT_TRUE(lock && *lock); }

  std::string read_clip(const std::string &name = "clip.mp4") const {
    std::ifstream file(path_.file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void clear() {
    for (const std::string &name : taken(files_.list(path_.folder())))
      EXPECT_TRUE(files_.remove(path_.file(name)));
    files_.crash(Loss::nothing);
  }

  const std::string clip_ = sample_mp4(10'000);
  ClipRecord record_;
  const ClipPath path_;
};

TEST_F(ClipFolderTest, ACommitCutAnywhereIsEndedByTheNextRunOrNeverBegan) {
  const size_t operations = commit();
  ASSERT_GT(operations, 8u);
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
    unsigned ended = 0;
    for (size_t at = 1; at <= operations; ++at) {
      SCOPED_TRACE(at);
      clear();
      commit(at);
      files_.crash(loss);
      ClipFolder folder(files_, path_);
      const auto lock = folder.lock_writer(on_damage());
      expect_locked(lock);
      auto found = folder.read_record(on_damage());
      ASSERT_TRUE(found && *found) << "the journal is the old one or the new one";
      ASSERT_TRUE(folder.finish_commit(**found));
      if ((*found)->state == ClipState::complete) {
        ++ended;
        const auto file = folder.open_clip(**found, on_damage());
        ASSERT_TRUE(file && *file);
        EXPECT_TRUE(read_clip() == clip_);
        EXPECT_FALSE(fs::exists(path_.part()));
      } else {
        EXPECT_EQ((*found)->task_id, "task of a") << "it can be fetched again";
        EXPECT_FALSE(fs::exists(path_.file("clip.mp4")));
      }
    }
    EXPECT_GT(ended, 0u);
    EXPECT_THAT(damage_, IsEmpty());
  }
}

TEST_F(ClipFolderTest, ACommitOverAClipOfTheSameSizeIsNotTakenToBeDoneBeforeItIs) {
  ClipFolder folder(files_, path_);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  std::ofstream(path_.file("clip.mp4"), std::ios::binary) << sample_mp4(clip_.size(), 2);
  std::ofstream(path_.part(), std::ios::binary) << clip_.substr(0, 5'000);
  ClipRecord record = record_;
  ASSERT_TRUE(folder.finish_commit(record));
  EXPECT_EQ(record.state, ClipState::submitted) << "the clip that is there is the one to be replaced";
  std::ofstream(path_.part(), std::ios::binary) << clip_;
  ASSERT_TRUE(folder.finish_commit(record));
  EXPECT_EQ(record.state, ClipState::complete);
  EXPECT_TRUE(read_clip() == clip_);
}

TEST_F(ClipFolderTest, ACommitUnderAnotherNameRemovesTheClipThatItReplaces) {
  record_.clip_name = "clip.png";
  ClipRecord old = record_of("a", ClipState::complete);
  old.clip_name = "clip.mp4";
  old.clip_size = 5;
  record_.replaced = std::make_shared<const ClipRecord>(old);
  ClipFolder folder(files_, path_);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  std::ofstream(path_.file("clip.mp4")) << "12345";
  auto part = taken(folder.open_part());
  ASSERT_TRUE(part->write_at(0, std::as_bytes(std::span(clip_))));
  ASSERT_TRUE(folder.commit(*part, record_));
  EXPECT_THAT(taken(files_.list(path_.folder())), ElementsAre("clip.png", "lock", "task.json"));
}

// It may be newer than the clip's file, which was written before it got its name.
TEST_F(ClipFolderTest, ACommitRemovesThePictureOfTheClipThatItReplaces) {
  ClipFolder folder(files_, path_);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  std::ofstream(path_.thumbnail()) << "jpeg";
  auto part = taken(folder.open_part());
  ASSERT_TRUE(part->write_at(0, std::as_bytes(std::span(clip_))));
  ASSERT_TRUE(folder.commit(*part, record_));
  EXPECT_FALSE(std::filesystem::exists(path_.thumbnail()));
}

TEST_F(ClipFolderTest, ThatIsUsedSaysWhen) {
  add("a");
  const auto hours = [](int count) { return std::chrono::hours(count); };
  std::ofstream(path_.use()) << "";
  fs::last_write_time(path_.use(), fs::file_time_type::clock::now() - hours(48));
  const auto lock = ClipFolder(files_, path_).lock_use();
  expect_locked(lock);
  EXPECT_GT(fs::last_write_time(path_.use()), fs::file_time_type::clock::now() - hours(1));
}

TEST_F(ClipFolderTest, AnIntentOutlivesAPowerCutThoughSomebodyElseMadeItsFolder) {
  ASSERT_TRUE(make_folder_durably(files_, root_));
  ASSERT_TRUE(files_.make_folder(path_.folder())) << "another machine, which has not synced its name";
  {
    ClipFolder folder(files_, path_);
    const auto lock = folder.lock_writer(on_damage());
    expect_locked(lock);
    ASSERT_TRUE(folder.write_intent(record_of("a", ClipState::intent)));
  }
  files_.crash(Loss::both);
  const auto found = ClipFolder(files_, path_).look();
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->state, ClipState::intent);
}

// The next run would call it damaged, and say that the request may be charged again.
TEST_F(ClipFolderTest, WritesNoJournalThatItCouldNotRead) {
  ClipRecord record = record_of("a", ClipState::refused);
  record.identity.request.set("prompt", std::string((4 << 20) - (8 << 10), 'x'));
  ClipFolder folder(files_, path_of(record));
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  ASSERT_TRUE(folder.write_record(record_of("a", ClipState::refused)));
  EXPECT_FALSE(folder.write_intent(record)) << "what the service answers needs room";
  ClipRecord smaller = record;
  smaller.identity.request.set("prompt", std::string((4 << 20) - (64 << 10), 'x'));
  EXPECT_TRUE(folder.check_intent(smaller));
  EXPECT_FALSE(folder.check_intent(smaller, 60 << 10)) << "what will be noted of its references does too";
  EXPECT_TRUE(folder.write_record(record));
  record.identity.request.set("prompt", std::string(4 << 20, 'x'));
  const auto written = folder.write_record(record);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::settings);
  const auto found = folder.look();
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_LT(found->identity.request.find("prompt")->string()->size(), size_t{4} << 20);
  EXPECT_TRUE(folder.write_record(record_of("a", ClipState::intent))) << "nobody else has written";
}

// An intent that is lost must not look as if there had been none.
TEST_F(ClipFolderTest, IsUnsentFromTheAnnouncementUntilTheIntentIsThere) {
  ClipFolder folder(files_, path_);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  EXPECT_EQ(folder.unsent(), "") << "nobody knows what was here";
  folder.announce_intent("yesterday, a longer text");
  folder.announce_intent("today");
  EXPECT_EQ(folder.unsent(), "today");
  ASSERT_TRUE(folder.write_intent(record_of("a", ClipState::intent)));
  EXPECT_EQ(folder.unsent(), "");
  std::filesystem::remove(path_.record());
  EXPECT_EQ(folder.unsent(), "");
  ASSERT_TRUE(folder.write_record(record_of("a", ClipState::intent)));
  folder.announce_intent("today");
  std::filesystem::remove(path_.record());
  EXPECT_EQ(folder.unsent(), "") << "there was a journal, which may have named a task";
}

// Who attaches to a task writes no intent. Nor does a version that does not know the file remove it.
TEST_F(ClipFolderTest, IsUnsentNoMoreOnceThereIsAnyJournal) {
  for (const ClipState state : {ClipState::submitted, ClipState::failed, ClipState::refused}) {
    ClipFolder folder(files_, path_);
    const auto lock = folder.lock_writer(on_damage());
    expect_locked(lock);
    folder.announce_intent("today");
    std::ofstream(path_.record()) << "of another version";
    EXPECT_EQ(folder.unsent(), "");
    ASSERT_TRUE(folder.write_record(record_of("a", state)));
    std::filesystem::remove(path_.record());
    EXPECT_EQ(folder.unsent(), "") << to_word(state);
  }
}

TEST_F(ClipFolderTest, IsNotUnsentAfterAPowerCutOnceItsIntentIsThere) {
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::both}) {
    std::filesystem::remove_all(path_.folder());
    ClipFolder folder(files_, path_);
    {
      const auto lock = folder.lock_writer(on_damage());
      expect_locked(lock);
      folder.announce_intent("today");
      ASSERT_TRUE(files_.sync_folder(path_.folder()));
      ASSERT_TRUE(folder.write_intent(record_of("a", ClipState::intent)));
    }
    files_.crash(loss);
    ASSERT_TRUE(ClipFolder(files_, path_).look());
    std::filesystem::remove(path_.record());
    EXPECT_EQ(ClipFolder(files_, path_).unsent(), "");
  }
}

TEST_F(ClipFolderTest, LookingChangesNothingAndMakesNothing) {
  ClipFolder folder(files_, path_);
  EXPECT_FALSE(folder.look());
  const auto part = folder.look_at_part();
  ASSERT_TRUE(part);
  EXPECT_FALSE(*part);
  EXPECT_EQ(failure_of(folder.lock_use()).kind, ErrorKind::not_found);
  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(ClipFolderTest, OneWritesAtATime) {
  ClipFolder one(files_, path_);
  ClipFolder two(files_, path_);
  auto lock = one.lock_writer(on_damage());
  expect_locked(lock);
  const auto refused = two.lock_writer(on_damage());
  ASSERT_TRUE(refused);
  EXPECT_FALSE(*refused);
  lock = std::optional<StoreLock>();
  expect_locked(two.lock_writer(on_damage()));
}

TEST_F(ClipFolderTest, TheReservedSpaceIsEnoughForTheIdOnAFullDisk) {
  ClipRecord record = record_of(std::string(4'000, 'x'), ClipState::intent);
  record.task_id.clear();
  const ClipPath path = path_of(record);
  ClipFolder folder(files_, path);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  ASSERT_TRUE(folder.write_intent(record));
  uint64_t used = 0;
  for (const auto &file : fs::directory_iterator(path.folder())) used += file.file_size();
  files_.limit_space(used);
  record.state = ClipState::submitted;
  record.task_id = std::string(1'024, 't');
  const auto written = folder.write_record(record);
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(taken(folder.look()).task_id, record.task_id);
}

TEST_F(ClipFolderTest, WhatIsSetAsideNeverReplacesWhatWasSetAsideBefore) {
  ClipFolder folder(files_, path_);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  for (const char *bad : {"one", "two", "three"}) {
    std::ofstream(path_.record()) << bad;
    const auto found = folder.read_record(on_damage());
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
  }
  EXPECT_EQ(read_clip("task.json.damaged-1"), "one");
  EXPECT_EQ(read_clip("task.json.damaged-2"), "two");
  EXPECT_EQ(read_clip("task.json.damaged-3"), "three");
  EXPECT_EQ(damage_.size(), 3u);
}

TEST_F(ClipFolderTest, HalfOfATasksIdIsNone) {
  ClipFolder folder(files_, path_);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  const auto found_in = [&](const std::string &damaged) {
    std::ofstream(path_.record()) << damaged;
    const auto found = taken(folder.read_record(on_damage()));
    return found ? found->task_id : "none";
  };
  EXPECT_EQ(found_in(R"({"task_id": "t-1", oops)"), "t-1");
  EXPECT_EQ(found_in(R"({"task_id": "t-1)"), "none");
  EXPECT_EQ(found_in("{\"task_id\": \"t-1\noops\""), "none");
  EXPECT_EQ(found_in(R"({"task_id": "t\u002d1", oops)"), "none");
}

// A copied folder, or a journal in the wrong place, would bring another request's clip.
TEST_F(ClipFolderTest, TheJournalOfAnotherRequestIsSetAside) {
  for (const ClipState state : {ClipState::complete, ClipState::submitted, ClipState::intent}) {
    SCOPED_TRACE(to_word(state));
    ClipRecord other = record_of("b", state);
    if (state == ClipState::complete) other.clip_name = "clip.mp4", other.clip_size = clip_.size();
    ClipFolder folder(files_, path_);
    const auto lock = folder.lock_writer(on_damage());
    expect_locked(lock);
    std::ofstream(path_.record()) << other.to_json().to_pretty_text();
    std::ofstream(path_.file("clip.mp4"), std::ios::binary) << clip_;
    const auto looked = folder.look();
    ASSERT_TRUE(looked);
    EXPECT_FALSE(folder.is_own(*looked));
    damage_.clear();
    const auto read = folder.read_record(on_damage());
    ASSERT_TRUE(read);
    EXPECT_FALSE(*read) << "its task is not this request's";
    EXPECT_FALSE(fs::exists(path_.record()));
    ASSERT_EQ(damage_.size(), 1u);
    EXPECT_THAT(damage_[0], testing::HasSubstr("it is the journal of another request"));
    EXPECT_THAT(damage_[0], testing::Not(testing::HasSubstr("task of b")));
  }
}

// The name of a folder comes of what its journal says, whatever the request holds.
TEST_F(ClipFolderTest, ItsOwnJournalIsKnownWhateverTheRequestHolds) {
  for (const char *request :
       {R"({"task_id":"t-1"})", R"({"task_id":"t-1","result":2})",
        R"({"a":1.0,"b":10,"c":-0.0,"d":0.1,"e":1e300,"f":5e-324,"g":9223372036854775807})",
        R"({"a":18446744073709551615,"b":123456789012345678901234567890,"c":1e400,"d":1.50})",
        R"({"prompt":"\u0000 \ud83e\ude81 \u2028 \"\\/ é \u007f","list":[null,true,[],{}]})", "{}"}) {
    ClipRecord record = record_of("a", ClipState::submitted);
    const auto json = Json::parse(request);
    ASSERT_TRUE(json) << request;
    record.identity.request = *json;
    for (const char *address : {"https://API.example:443/", "https://api.example/v 1\n", "kite", ""}) {
      record.identity.base_url = address;
      record.identity.take = record.identity.take + 1;
      ClipFolder folder(files_, path_of(record));
      const auto lock = folder.lock_writer(on_damage());
      expect_locked(lock);
      ASSERT_TRUE(folder.write_record(record));
      EXPECT_TRUE(folder.look()) << request << " " << address;
    }
  }
}

TEST_F(ClipFolderTest, ItsOwnJournalIsKnownUnderTheNamesOfOlderVersions) {
  ClipRecord record = record_of("a", ClipState::submitted);
  record.identity.base_url = "https://API.example/";
  // printf of the canonical JSON, piped into sha256sum.
  const ClipPath path(root_, "641516baf7103091b615f9291c154c944341a13186b98b389ec4a127f980ad9e");
  ClipFolder folder(files_, path);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  ASSERT_TRUE(folder.write_record(record));
  EXPECT_TRUE(folder.look());
}

TEST_F(ClipFolderTest, AJournalWithoutARequestIsNotAskedWhoseItIs) {
  ClipRecord record = record_of("a", ClipState::submitted);
  record.identity.request = Json();
  ClipFolder folder(files_, path_);
  const auto lock = folder.lock_writer(on_damage());
  expect_locked(lock);
  ASSERT_TRUE(folder.write_record(record));
  EXPECT_TRUE(folder.look());
}

// B9: a lock on a shared file system can be lost silently.
TEST_F(ClipFolderTest, AWriterThatLostItsLockChangesNothingOfWhatTheNextOneWrote) {
  add(record_of("a", ClipState::submitted));
  ClipFolder first(files_, path_);
  ASSERT_TRUE(first.read_record(on_damage()));
  ClipFolder next(files_, path_);
  ASSERT_TRUE(next.read_record(on_damage()));
  ASSERT_TRUE(first.write_record(record_)) << "nobody else has written yet";

  ClipFolder second(files_, path_);
  ASSERT_TRUE(second.read_record(on_damage()));
  auto part = second.open_part();
  ASSERT_TRUE(part);
  ASSERT_TRUE((*part)->write_at(0, std::as_bytes(std::span(clip_))));
  ASSERT_TRUE(second.commit(**part, record_));

  const auto refuses = [](const Result<void> &done) { return !done && done.error().kind == ErrorKind::busy; };
  for (ClipFolder *late : {&first, &next}) {
    EXPECT_TRUE(refuses(late->write_record(record_of("a", ClipState::refused))));
    EXPECT_TRUE(refuses(late->write_intent(record_of("a", ClipState::intent))));
    EXPECT_TRUE(refuses(late->discard_part()));
    const auto opened = late->open_part();
    EXPECT_TRUE(!opened && opened.error().kind == ErrorKind::busy);
  }
  EXPECT_THAT(*files_.list(path_.folder()), ElementsAre("clip.mp4", "lock", "task.json"));
  const auto record = second.look();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->state, ClipState::complete);
  EXPECT_EQ(read_clip(), clip_);
}

TEST_F(ClipFolderTest, AWriterThatFoundNoJournalDoesNotWriteOverOneThatCameMeanwhile) {
  ClipFolder first(files_, path_);
  const auto lock = first.lock_writer(on_damage());
  expect_locked(lock);
  ASSERT_TRUE(first.read_record(on_damage()));
  ClipFolder second(files_, path_);
  ASSERT_TRUE(second.read_record(on_damage()));
  ASSERT_TRUE(second.write_record(record_));
  const auto intended = first.write_intent(record_of("a", ClipState::intent));
  ASSERT_FALSE(intended);
  EXPECT_EQ(intended.error().kind, ErrorKind::busy);
}

TEST_F(ClipFolderTest, AWriterWhoseWriteFailedAtAnyPointIsStillTheOneThatWrites) {
  add(record_of("a", ClipState::submitted));
  for (size_t step = 1;; ++step) {
    ClipFolder folder(files_, path_);
    ASSERT_TRUE(folder.read_record(on_damage()));
    const size_t before = files_.operations();
    ClipRecord record = record_of("a", ClipState::submitted);
    record.progress = static_cast<int>(step);
    files_.fail_at(before + step, {ErrorKind::no_space_left, "No room."});
    const bool written = static_cast<bool>(folder.write_record(record));
    const bool was_last = files_.operations() < before + step;
    files_.crash(Loss::nothing);
    EXPECT_TRUE(written || !was_last) << step;
    for (int progress : {50, 51}) {
      record.progress = progress;
      EXPECT_TRUE(folder.write_record(record)) << step;
    }
    if (was_last) break;
  }
}

TEST_F(ClipFolderTest, AWriterWhoseJournalWasRemovedWritesItAnew) {
  add(record_of("a", ClipState::submitted));
  ClipFolder folder(files_, path_);
  ASSERT_TRUE(folder.read_record(on_damage()));
  ASSERT_TRUE(files_.remove(path_.record()));
  EXPECT_TRUE(folder.write_record(record_));
  EXPECT_TRUE(folder.look());
}

}  // namespace
}  // namespace genclip::test
