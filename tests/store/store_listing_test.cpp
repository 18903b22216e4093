// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a store says that it holds, and what it lets go of.
#include "plugin/store/store_listing.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_removal.h"
#include "tests/store/store_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreListing : public StoreTest {
 protected:
  std::vector<StoredClip> list() {
    auto clips = list_store(files_, root_);
    EXPECT_TRUE(clips) << clips.error().text;
    return clips ? *clips : std::vector<StoredClip>();
  }
  std::vector<std::string> prompts() {
    std::vector<std::string> prompts;
    for (const StoredClip &clip : list()) prompts.push_back(clip.prompt());
    return prompts;
  }
  static void used(const ClipPath &path, int hours) {
    fs::last_write_time(path.use(), fs::file_time_type::clock::now() + std::chrono::hours(hours));
  }
  ClipPath add_used(const std::string &prompt, int hours) {
    ClipPath path = add(prompt);
    EXPECT_TRUE(ClipFolder(files_, path).lock_use());
    used(path, hours);
    return path;
  }
  StoredClip stored(const ClipPath &path) {
    auto found = find_stored(files_, root_, fs::path(path.folder()).filename().string());
    EXPECT_TRUE(found);
    return found ? *found : StoredClip();
  }
  // Writes another journal of a whole clip.
  void rewrite(const ClipPath &path, const std::function<void(ClipRecord &)> &change) {
    ClipFolder folder(files_, path);
    const auto lock = folder.lock_writer(on_damage());
    ASSERT_TRUE(lock && *lock);
    ClipRecord record = taken(folder.look());
    change(record);
    ASSERT_TRUE(folder.write_record(record));
  }
  // A whole clip of 12 credits, and a task, or a submit, that is to replace it.
  ClipPath add_before_successor(const std::string &prompt, ClipState state) {
    ClipRecord whole = record_of(prompt, ClipState::complete);
    whole.amount = 12;
    const ClipPath path = add(whole);
    rewrite(path, [&](ClipRecord &record) {
      ClipRecord next = record_of(prompt, state);
      next.task_id = state == ClipState::submitted || state == ClipState::lost ? "successor" : "";
      next.replaced = std::make_shared<const ClipRecord>(record);
      record = next;
    });
    return path;
  }
  // The folder of a task without its request.
  ClipPath add_of_task(const std::string &task_id, int result) {
    ClipRecord record = record_of("", ClipState::complete);
    record.task_id = task_id;
    record.identity.request = Json::Object{{"task_id", task_id}};
    if (result > 1) record.identity.request.set("result", result);
    return add(record);
  }
};

TEST_F(StoreListing, OfAStoreThatIsNotThereIsEmpty) { EXPECT_THAT(list(), IsEmpty()); }

// It would seem to be empty, because its names can be read.
TEST_F(StoreListing, OfAStoreThatMayNotBeEnteredIsAnError) {
  if (std::getenv("GENCLIP_TEST_NFS")) GTEST_SKIP() << "the model of NFS enters folders as it made them";
  add("a kite");
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;  // Whom no permission stops.
  if (is_root) {
    for (const std::string &path : {folder_.path(), root_})
      if (::chown(path.c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "this root may give no file away";
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  fs::permissions(root_, fs::perms::owner_read);
  const auto clips = list_store(files_, root_);
  const auto pruned = prune_store(files_, root_, 0);
  fs::permissions(root_, fs::perms::owner_all);
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_FALSE(clips);
  ASSERT_FALSE(pruned);
  for (const Error &error : {clips.error(), pruned.error()}) {
    EXPECT_THAT(error.text, HasSubstr(root_));
    EXPECT_THAT(error.text, HasSubstr("Permission denied. Check its permissions"));
  }
}

TEST_F(StoreListing, TellsEachClipTheLeastRecentlyUsedFirst) {
  add_used("new", 30);
  add_used("old", 10);
  add_used("middle", 20);
  EXPECT_THAT(prompts(), ElementsAre("old", "middle", "new"));
  const StoredClip clip = list()[0];
  EXPECT_TRUE(clip.is_complete());
  EXPECT_EQ(clip.record->task_id, "task of old");
  EXPECT_EQ(clip.clip_path, clip.folder + "/clip.mp4");
  EXPECT_GT(clip.size, 10'000u);
  EXPECT_LT(clip.size, 11'000u);
  EXPECT_GT(clip.last_used, clip.record->updated_at);
}

TEST_F(StoreListing, TellsTasksWithoutAClipAndWhatCannotBeRead) {
  add("on its way", ClipState::submitted);
  const ClipPath broken = add("broken", ClipState::failed);
  std::ofstream(broken.record()) << "{";
  std::ofstream(root_ + "/notes.txt") << "mine";
  fs::create_directory(root_ + "/lost+found");
  const auto clips = list();
  ASSERT_EQ(clips.size(), 2u);
  const StoredClip &bad = clips[0].record ? clips[1] : clips[0];
  const StoredClip &good = clips[0].record ? clips[0] : clips[1];
  EXPECT_EQ(good.record->state, ClipState::submitted);
  EXPECT_EQ(good.clip_path, "");
  EXPECT_FALSE(bad.record);
  EXPECT_NE(bad.problem, "");
  EXPECT_TRUE(bad.is_damaged);
}

// A5: what a newer version wrote is no damage.
TEST_F(StoreListing, TellsANewerJournalFromADamagedOne) {
  const ClipPath path = add("a", ClipState::submitted);
  std::ofstream(path.record()) << "{\"version\": 2, \"state\": \"dreaming\"}";
  const auto clips = list();
  ASSERT_EQ(clips.size(), 1u);
  EXPECT_FALSE(clips[0].record);
  EXPECT_FALSE(clips[0].is_damaged);
  EXPECT_THAT(clips[0].problem, HasSubstr("newer"));
  EXPECT_EQ(remove_clip(files_, root_, clips[0].digest).error().kind, ErrorKind::settings);
}

// A11: a run that ended before its intent, as a check of reference media does, leaves its locks.
TEST_F(StoreListing, AFolderThatHoldsOnlyLocksIsNoClipAndNoDamage) {
  const ClipPath path = path_of(record_of("a", ClipState::intent));
  {
    ClipFolder folder(files_, path);
    const auto lock = folder.lock_writer(on_damage());
    ASSERT_TRUE(lock && *lock);
    EXPECT_THAT(list(), IsEmpty());
    ASSERT_TRUE(prune_store(files_, root_, 0));
    EXPECT_TRUE(fs::exists(path.lock())) << "somebody is at work there";
  }
  std::ofstream(path.use()) << "";
  std::ofstream(path.spare()) << "blank";
  std::ofstream(path.unsent()) << "";
  std::ofstream(path.record_temporary()) << "{";
  EXPECT_THAT(list(), IsEmpty()) << "as a crash before the intent leaves it";
  const auto pruned = prune_store(files_, root_, uint64_t{1} << 40);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, IsEmpty());
  EXPECT_FALSE(fs::exists(path.folder()));
}

TEST_F(StoreListing, AFolderWithAnythingOfAClipButNoJournalIsDamaged) {
  for (const char *name : {"clip.mp4", "clip.part", "task.json.damaged-1", "clip.mp4.damaged-2"}) {
    const ClipPath path = path_of(record_of(name, ClipState::intent));
    fs::create_directories(path.folder());
    std::ofstream(path.file(name)) << "x";
    ASSERT_TRUE(prune_store(files_, root_, 0));
    const auto clips = list();
    ASSERT_EQ(clips.size(), 1u) << name;
    EXPECT_FALSE(clips[0].record);
    EXPECT_NE(clips[0].problem, "");
    ASSERT_TRUE(remove_clip(files_, root_, clips[0].digest, Removable::any)) << name;
    EXPECT_THAT(list(), IsEmpty());
  }
}

TEST_F(StoreListing, FindsByDigestByItsBeginningAndByTask) {
  const ClipPath path = add("a");
  add("b");
  const std::string digest = fs::path(path.folder()).filename();
  for (const std::string &key : {digest, digest.substr(0, 8), std::string("task of a")}) {
    const auto found = find_stored(files_, root_, key);
    ASSERT_TRUE(found) << key;
    EXPECT_EQ(found->digest, digest);
  }
  EXPECT_EQ(failure_of(find_stored(files_, root_, digest.substr(0, 7))).kind, ErrorKind::not_found)
      << "too short to be sure";
  EXPECT_THAT(failure_of(find_stored(files_, root_, digest.substr(0, 7))).text,
              HasSubstr("A key is named by its first 8 digits at least."));
  EXPECT_THAT(failure_of(find_stored(files_, root_, "task of c")).text, testing::Not(HasSubstr("digits")));
  EXPECT_EQ(failure_of(find_stored(files_, root_, "")).kind, ErrorKind::not_found);
  EXPECT_EQ(failure_of(find_stored(files_, root_, "task of c")).kind, ErrorKind::not_found);
  ClipRecord take = record_of("a", ClipState::submitted);
  take.identity.take = 1;
  add(take);
  EXPECT_EQ(failure_of(find_stored(files_, root_, "task of a")).kind, ErrorKind::settings) << "two of them";
}

TEST_F(StoreListing, OfSeveralFoldersWithATaskThatOfItsRequestIsMeantThenThatOfItsFirstResult) {
  const auto found = [&] { return taken(find_stored(files_, root_, "t")).folder; };
  const ClipPath second = add_of_task("t", 2);
  EXPECT_EQ(found(), second.folder());
  const ClipPath first = add_of_task("t", 1);
  EXPECT_EQ(found(), first.folder());
  ClipRecord record = record_of("a", ClipState::complete);
  record.identity.request.set("model", "m");
  record.task_id = "t";
  const ClipPath own = add(record);
  EXPECT_EQ(found(), own.folder());
  record.identity.take = 1;
  const ClipPath take = add(record);
  const std::string text = failure_of(find_stored(files_, root_, "t")).text;
  for (const ClipPath &path : {own, take}) EXPECT_THAT(text, HasSubstr(path.digest().substr(0, 8)));
  EXPECT_THAT(text, HasSubstr("Name one by its key."));
}

// ---- A clip that another one is to replace.

TEST_F(StoreListing, AClipIsWholeUntilItIsReplaced) {
  for (const ClipState state :
       {ClipState::intent, ClipState::ambiguous, ClipState::submitted, ClipState::lost}) {
    SCOPED_TRACE(to_word(state));
    const ClipPath path = add_before_successor("a", state);
    const StoredClip clip = stored(path);
    EXPECT_FALSE(clip.is_complete());
    EXPECT_EQ(clip.clip_path, path.file("clip.mp4"));
    EXPECT_TRUE(verify_clip(files_, clip));
    EXPECT_EQ(taken(find_stored(files_, root_, "task of a")).digest, clip.digest);
    EXPECT_EQ(told_cost(clip), 12);
    EXPECT_EQ(cost_text(clip), state == ClipState::submitted
                                   ? "12 credits, without one clip that is under way"
                                   : "12 credits, without one clip whose cost was not told");
    EXPECT_THAT(failure_of(remove_clip(files_, root_, clip.digest)).text, HasSubstr("contains a whole clip"));
    fs::resize_file(clip.clip_path, 9'999);
    const Error damage = failure_of(verify_clip(files_, clip));
    EXPECT_THAT(damage.text, HasSubstr("9999 bytes instead of 10000"));
    EXPECT_EQ(damage.task_id, "task of a");
  }
}

// The bytes may be those of either of the two.
TEST_F(StoreListing, NoClipIsWholeInACommitThatWasCut) {
  const ClipPath path = add_before_successor("a", ClipState::submitted);
  rewrite(path, [](ClipRecord &record) {
    record.clip_name = "clip.mp4";
    record.clip_size = 7;
  });
  EXPECT_EQ(stored(path).clip_path, "");
  EXPECT_EQ(failure_of(verify_clip(files_, stored(path))).kind, ErrorKind::not_found);
}

TEST_F(StoreListing, FindsAWholeNameBeforeTheBeginningOfAKey) {
  const std::string digest = fs::path(add("a").folder()).filename();
  ClipRecord other = record_of("b", ClipState::submitted);
  other.task_id = digest.substr(0, 10);
  const std::string by_task = fs::path(add(other).folder()).filename();
  EXPECT_EQ(taken(find_stored(files_, root_, digest.substr(0, 10))).digest, by_task);
  EXPECT_EQ(taken(find_stored(files_, root_, digest.substr(0, 9))).digest, digest);
}

// ---- Verify.

TEST_F(StoreListing, VerifiesAWholeClip) { EXPECT_TRUE(verify_clip(files_, stored(add("a")))); }

TEST_F(StoreListing, FindsEveryDamageOfAClipAndChangesNothing) {
  const std::string whole = sample_mp4(10'000);
  const std::string cut_box = whole.substr(0, 5'000) + std::string(5'000, '\0');
  std::string long_box = whole;
  long_box[24 + 24 + 2] = '\x7f';  // The size of the mdat.
  const std::pair<std::string, std::string> cases[] = {
      {whole.substr(0, 9'999), "9999 bytes instead of 10000"},
      {whole + "x", "10001 bytes"},
      {std::string(10'000, '<'), "neither a video nor an image"},
      {long_box, "ends in the middle of its data"},
  };
  for (const auto &[bytes, reason] : cases) {
    const ClipPath path = add("a");
    std::ofstream(path.file("clip.mp4"), std::ios::binary) << bytes;
    const auto verified = verify_clip(files_, stored(path));
    ASSERT_FALSE(verified) << reason;
    EXPECT_THAT(verified.error().text, HasSubstr(reason));
    EXPECT_EQ(verified.error().task_id, "task of a");
    EXPECT_TRUE(fs::exists(path.file("clip.mp4")));
  }
  const ClipPath path = add("a");
  fs::remove(path.file("clip.mp4"));
  EXPECT_THAT(failure_of(verify_clip(files_, stored(path))).text, HasSubstr("missing"));
  EXPECT_EQ(failure_of(verify_clip(files_, stored(add("b", ClipState::submitted)))).kind,
            ErrorKind::not_found);
}

// ---- Remove.

TEST_F(StoreListing, RemovesAClipWithAllThatIsInItsFolder) {
  const ClipPath path = add("a");
  std::ofstream(path.file("clip.mp4.damaged-1")) << "x";
  EXPECT_TRUE(remove_clip(files_, root_, stored(path).digest));
  EXPECT_THAT(taken(files_.list(root_)), IsEmpty());
}

TEST_F(StoreListing, RemovesALinkInAFoldersPlaceAndNothingOfWhatItLeadsTo) {
  const ClipPath path = add("a");
  const std::string digest = stored(path).digest;
  const std::string elsewhere = root_ + "/elsewhere";
  fs::create_directory(elsewhere);
  std::ofstream(elsewhere + "/letter") << "mine";
  const auto link = [&](const std::string &place) { fs::create_directory_symlink(elsewhere, place); };

  link(ClipPath::removed(path.folder()));
  EXPECT_TRUE(remove_clip(files_, root_, digest)) << "as after a crash amid a removal";
  EXPECT_FALSE(fs::exists(path.folder()));
  link(ClipPath::removed(path.folder()));
  EXPECT_TRUE(prune_store(files_, root_, 0));
  EXPECT_FALSE(fs::is_symlink(ClipPath::removed(path.folder())));
  link(path.folder());
  EXPECT_EQ(failure_of(remove_clip(files_, root_, digest, Removable::any)).kind, ErrorKind::not_found);
  EXPECT_THAT(taken(files_.list(elsewhere)), ElementsAre("letter"));
}

TEST_F(StoreListing, NeverRemovesAClipThatIsReadOrWritten) {
  const ClipPath path = add("a");
  const std::string digest = stored(path).digest;
  {
    const auto use = ClipFolder(files_, path).lock_use();
    ASSERT_TRUE(use && *use);
    EXPECT_EQ(failure_of(remove_clip(files_, root_, digest)).kind, ErrorKind::busy);
    EXPECT_EQ(failure_of(remove_clip(files_, root_, digest, Removable::any)).kind, ErrorKind::busy);
  }
  {
    const auto writer = StoreLock::try_lock(path.lock());
    ASSERT_TRUE(writer && *writer);
    EXPECT_EQ(failure_of(remove_clip(files_, root_, digest)).kind, ErrorKind::busy);
  }
  EXPECT_TRUE(verify_clip(files_, stored(path)));
  EXPECT_TRUE(remove_clip(files_, root_, digest));
}

TEST_F(StoreListing, RemovesATaskOnlyWhenAskedTo) {
  for (const ClipState state : {ClipState::intent, ClipState::ambiguous, ClipState::submitted}) {
    const ClipPath path = add("a", state);
    const std::string digest = stored(path).digest;
    EXPECT_EQ(failure_of(remove_clip(files_, root_, digest)).kind, ErrorKind::settings) << to_word(state);
    EXPECT_TRUE(fs::exists(path.record()));
    EXPECT_TRUE(remove_clip(files_, root_, digest, Removable::any));
    EXPECT_FALSE(fs::exists(path.folder()));
  }
}

TEST_F(StoreListing, RemovesAClipBesideWhichATaskMayBringAnotherOnlyWhenAskedToOrToMakeRoom) {
  using Change = void (*)(ClipRecord &);
  for (const Change change : {Change([](ClipRecord &record) { record.unfetched_tasks = {"t-9"}; }),
                              Change([](ClipRecord &record) { record.unanswered_submits = 1; })}) {
    for (const Removable removable : {Removable::any, Removable::complete}) {
      const ClipPath path = add("a");
      rewrite(path, change);
      const std::string digest = stored(path).digest;
      EXPECT_THAT(failure_of(remove_clip(files_, root_, digest, Removable::settled)).text,
                  HasSubstr("store remove --any"));
      EXPECT_TRUE(fs::exists(path.record()));
      EXPECT_TRUE(remove_clip(files_, root_, digest, removable));
    }
  }
  const ClipPath path = add("a");
  rewrite(path, [](ClipRecord &record) { record.unanswered_submits = record.warned_submits = 1; });
  EXPECT_TRUE(remove_clip(files_, root_, stored(path).digest, Removable::settled)) << "it was warned of";
}

TEST_F(StoreListing, RemovesNothingOfWhichTheLedgerCannotBeTold) {
  const ClipPath path = add("a");
  std::vector<std::string> told;
  const auto fails = [&](const StoredClip &clip) -> Result<void> {
    told.push_back(clip.record->task_id);
    EXPECT_FALSE(taken(StoreLock::try_lock(clip.folder + "/lock"))) << "no run may begin on it";
    return Error{ErrorKind::write, "full"};
  };
  EXPECT_EQ(
      failure_of(remove_clip(files_, root_, stored(path).digest, Removable::any, Pinned::go, fails)).text,
      "full");
  EXPECT_THAT(taken(prune_store(files_, root_, 0, {}, {}, fails)).removed, IsEmpty());
  EXPECT_THAT(told, ElementsAre("task of a", "task of a"));
  EXPECT_TRUE(verify_clip(files_, stored(path)));
  // With each of many clips, a ledger that is locked would be waited for anew.
  add("b");
  told.clear();
  EXPECT_THAT(taken(prune_store(files_, root_, 0, {}, {}, fails)).removed, IsEmpty());
  EXPECT_EQ(told.size(), 1u);
  EXPECT_EQ(list().size(), 2u);
}

// A run with reuse=false may have ended since the store was listed.
TEST_F(StoreListing, AClipThatIsReplacedMeanwhileIsVerifiedAsItIsNow) {
  const ClipPath path = add("a");
  const StoredClip now = stored(path);
  StoredClip listed = now;
  ++listed.record->clip_size;
  EXPECT_FALSE(verify_clip(files_, listed));
  EXPECT_TRUE(verify_latest(files_, root_, listed));
  EXPECT_EQ(listed.record->clip_size, now.record->clip_size);
  std::ofstream(path.file("clip.mp4")) << "no clip";
  EXPECT_EQ(failure_of(verify_latest(files_, root_, listed)).kind, ErrorKind::read);
}

TEST_F(StoreListing, RemovesNothingButClips) {
  add("a");
  fs::create_directory(root_ + "/mine");
  for (const std::string name : {"", ".", "..", "mine", "nothing"})
    EXPECT_EQ(failure_of(remove_clip(files_, root_, name)).kind, ErrorKind::not_found) << name;
  EXPECT_TRUE(fs::exists(root_ + "/mine"));
  EXPECT_EQ(list().size(), 1u);
}

TEST_F(StoreListing, ACrashAmidARemovalLeavesAllOfTheClipOrNoneThatIsServed) {
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
    for (size_t at = 1; at < 30; ++at) {
      SCOPED_TRACE(at);
      const ClipPath path = add("a");
      const std::string digest = stored(path).digest;
      files_.crash(Loss::nothing);
      files_.die_at(at);
      static_cast<void>(remove_clip(files_, root_, digest));
      files_.crash(loss);
      if (fs::exists(path.folder())) {
        EXPECT_TRUE(verify_clip(files_, stored(path)));
      }
      ASSERT_TRUE(prune_store(files_, root_, uint64_t{1} << 40));
      for (const std::string &name : taken(files_.list(root_)))
        EXPECT_EQ(name, digest) << "leftovers are cleared";
    }
  }
}

// ---- Prune.

TEST_F(StoreListing, PrunesTheLeastRecentlyUsedUntilItFits) {
  for (int i = 0; i < 5; ++i) add_used("clip " + std::to_string(i), 10 * (i + 1));
  const auto pruned = prune_store(files_, root_, 35'000);
  ASSERT_TRUE(pruned);
  ASSERT_EQ(pruned->removed.size(), 2u);
  EXPECT_EQ(pruned->removed[0].prompt(), "clip 0");
  EXPECT_LE(pruned->size, 35'000u);
  EXPECT_THAT(prompts(), ElementsAre("clip 2", "clip 3", "clip 4"));
  const auto again = prune_store(files_, root_, pruned->size);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->removed, IsEmpty()) << "it fits just so";
}

TEST_F(StoreListing, PrunesAroundWhatIsInUseAndWhatIsOnItsWay) {
  const ClipPath read = add_used("read", 1);
  add("on its way", ClipState::submitted);
  add("in doubt", ClipState::ambiguous);
  add("intended", ClipState::intent);
  add_used("free", 2);
  const auto use = ClipFolder(files_, read).lock_use();
  const auto pruned = prune_store(files_, root_, 0);
  ASSERT_TRUE(pruned);
  EXPECT_EQ(pruned->removed.size(), 1u);
  EXPECT_GT(pruned->size, 0u);
  EXPECT_THAT(prompts(), testing::UnorderedElementsAre("read", "on its way", "in doubt", "intended"));
}

TEST_F(StoreListing, AReaderMakesItsClipTheLastToGo) {
  const ClipPath read = add_used("read", -3);
  add_used("left", -2);
  EXPECT_THAT(prompts(), ElementsAre("read", "left"));
  ASSERT_TRUE(ClipFolder(files_, read).lock_use());
  EXPECT_THAT(prompts(), ElementsAre("left", "read"));
  const auto pruned = prune_store(files_, root_, 15'000);
  ASSERT_TRUE(pruned);
  ASSERT_EQ(pruned->removed.size(), 1u);
  EXPECT_EQ(pruned->removed[0].prompt(), "left");
}

TEST_F(StoreListing, PrunesNothingOfAStoreThatIsNotThere) {
  const auto pruned = prune_store(files_, root_, 0);
  ASSERT_TRUE(pruned) << pruned.error().text;
  EXPECT_EQ(pruned->size, 0u);
  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(StoreListing, PrunesNothingOfAStoreThatFits) {
  add("a");
  const auto pruned = prune_store(files_, root_, 1'000'000);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, IsEmpty());
}

}  // namespace
}  // namespace genclip::test
