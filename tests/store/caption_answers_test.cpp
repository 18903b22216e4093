// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Kept answers of captions: durable, found again, never served damaged, counted and removed with the clips.
#include "plugin/store/caption_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "plugin/store/clip_path.h"
#include "plugin/store/clip_removal.h"
#include "tests/store/store_fixture.h"
#include "tests/support/file_content.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string kept_key(char digit) { return std::string(64, digit); }

StoredAnswer kept_answer(const std::string &text = "A red kite.") {
  return {"gem-2.5-flash-lite", text, "STOP", 300, 20, 320, 1790000000};
}

class CaptionAnswers : public StoreTest {
 protected:
  void write(const std::string &key, const StoredAnswer &said = kept_answer()) {
    const auto written = write_answer(files_, root_, key, said);
    ASSERT_TRUE(written) << written.error().text;
  }
  std::string file(const std::string &key) const { return root_ + "/captions/" + key + ".json"; }
  void put(const std::string &path, const std::string &text) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }
  void age(const std::string &path, std::chrono::seconds by) const {
    const time_t then = time(nullptr) - by.count();
    const utimbuf times{then, then};
    ASSERT_EQ(::utime(path.c_str(), &times), 0);
  }
  time_t modified(const std::string &path) const {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mtime;
  }
  std::vector<std::string> keys() {
    std::vector<std::string> keys;
    const auto answers = list_answers(files_, root_);
    EXPECT_TRUE(answers);
    for (const AnswerFile &one : *answers) keys.push_back(one.key);
    return keys;
  }
  // A whole clip that was used that long ago. Returns its size in the store.
  uint64_t add_clip(const std::string &prompt, std::chrono::seconds age_of_use) {
    ClipRecord record = record_of(prompt, ClipState::complete);
    record.updated_at = time(nullptr) - age_of_use.count();
    add(record);
    return stored_in(files_, root_, record.identity.digest())->size;
  }
};

TEST_F(CaptionAnswers, AreReadAsTheyWereWritten) {
  EXPECT_EQ(read_answer(files_, root_, kept_key('a')).error().kind, ErrorKind::not_found);
  for (const char *text : {"A red kite.", "Ein „Milan“\nüber Dünen 🪁", "\"\\\t{}", " "}) {
    write(kept_key('a'), kept_answer(text));
    const auto read = read_answer(files_, root_, kept_key('a'));
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(*read, kept_answer(text));
  }
  EXPECT_EQ(read_answer(files_, root_, kept_key('b')).error().kind, ErrorKind::not_found);
}

TEST_F(CaptionAnswers, AreTheirOwnersAlone) {
  write(kept_key('a'));
  struct stat status = {};
  ASSERT_EQ(::stat((root_ + "/captions").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0700u);
  ASSERT_EQ(::stat(file(kept_key('a')).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_ + "/captions"), {}), 1)
      << "no temporary file is left";
}

TEST_F(CaptionAnswers, ThatAreDamagedAreNeverServed) {
  write(kept_key('a'));
  const std::string whole = content(file(kept_key('a')));
  const auto expect_damaged = [&](const std::string &text, const std::string &what) {
    put(file(kept_key('a')), text);
    const auto read = read_answer(files_, root_, kept_key('a'));
    ASSERT_FALSE(read) << what;
    EXPECT_EQ(read.error().kind, ErrorKind::wrong_type) << what;
    EXPECT_THAT(read.error().text, HasSubstr(file(kept_key('a')) + " is damaged: ")) << what;
    EXPECT_EQ(content(file(kept_key('a'))), text) << "reading changes nothing: " << what;
  };
  // The line end is not part of the JSON.
  for (size_t size = 0; size + 1 < whole.size(); ++size)
    expect_damaged(whole.substr(0, size), "cut at " + std::to_string(size));
  for (size_t at = whole.find("A red kite"); at < whole.find("A red kite") + 10; ++at) {
    std::string other = whole;
    other[at] = 'z';
    expect_damaged(other, "changed at " + std::to_string(at));
  }
  std::string tokens = whole;
  tokens.replace(tokens.find("320"), 3, "321");
  expect_damaged(tokens, "other tokens");
  for (const char *text : {"null", "[]", "{}", "1", "{\"version\":1}", "\xff\xfe", "\0"})
    expect_damaged(text, text);
  expect_damaged(std::string(2 << 20, ' '), "two megabytes");
  put(file(kept_key('a')), whole);
  EXPECT_TRUE(read_answer(files_, root_, kept_key('a')));
}

TEST_F(CaptionAnswers, UnderTheNameOfAnotherQuestionAreNotServed) {
  write(kept_key('a'));
  std::filesystem::copy(file(kept_key('a')), file(kept_key('b')));
  EXPECT_THAT(read_answer(files_, root_, kept_key('b')).error().text,
              HasSubstr("the name of another answer"));
}

TEST_F(CaptionAnswers, OfAnotherVersionAreNotServedButReplaced) {
  std::string text = answer_text(kept_key('a'), kept_answer());
  text.replace(text.find("1,"), 1, "2");
  EXPECT_THAT(read_answer_text(kept_key('a'), text).error().text, HasSubstr("version"));
  std::filesystem::create_directories(root_ + "/captions");
  put(file(kept_key('a')), text);
  write(kept_key('a'));
  EXPECT_TRUE(read_answer(files_, root_, kept_key('a')));
}

TEST_F(CaptionAnswers, WithoutATextOrAMemberAreNone) {
  EXPECT_FALSE(read_answer_text(kept_key('a'), answer_text(kept_key('a'), kept_answer(""))));
  EXPECT_TRUE(read_answer_text(kept_key('a'), answer_text(kept_key('a'), kept_answer())));
}

TEST_F(CaptionAnswers, ReplaceADamagedOne) {
  std::filesystem::create_directories(root_ + "/captions");
  put(file(kept_key('a')), "nonsense");
  write(kept_key('a'));
  EXPECT_EQ(*read_answer(files_, root_, kept_key('a')), kept_answer());
}

TEST_F(CaptionAnswers, InThePlaceOfAFolderAreAnErrorAndLeaveNoRest) {
  std::filesystem::create_directories(file(kept_key('a')) + "/within");
  EXPECT_EQ(read_answer(files_, root_, kept_key('a')).error().kind, ErrorKind::wrong_type);
  EXPECT_FALSE(write_answer(files_, root_, kept_key('a'), kept_answer()));
  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_ + "/captions"), {}), 1);
}

TEST_F(CaptionAnswers, OfWritersAtOnceAreOneOfThem) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&, i] {
      for (int round = 0; round < 25; ++round)
        EXPECT_TRUE(write_answer(files_, root_, kept_key('a'),
                                 kept_answer(std::string(1000, static_cast<char>('A' + i)))));
    });
  for (int i = 0; i < 200; ++i) {
    const auto read = read_answer(files_, root_, kept_key('a'));
    if (!read) {
      EXPECT_EQ(read.error().kind, ErrorKind::not_found) << read.error().text;
    }
  }
  for (std::thread &writer : writers) writer.join();
  EXPECT_THAT(read_answer(files_, root_, kept_key('a'))->text, SizeIs(1000));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_ + "/captions"), {}), 1);
}

// At each operation of a write the process may die, and what was not synced may be lost.
TEST_F(CaptionAnswers, SurviveACrashAtAnyPoint) {
  for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
    for (size_t dies_at = 1;; ++dies_at) {
      const TemporaryFolder folder;
      const std::string root = folder.path() + "/store";
      LossyFileSystem files(folder.path());
      ASSERT_TRUE(write_answer(files, root, kept_key('a'), kept_answer("First.")));
      files.die_at(files.operations() + dies_at);
      const bool was_written = write_answer(files, root, kept_key('b'), kept_answer("Second.")).has_value();
      const bool has_died = files.is_dead();
      files.crash(loss);
      EXPECT_EQ(read_answer(files, root, kept_key('a'))->text, "First.") << dies_at;
      const auto second = read_answer(files, root, kept_key('b'));
      if (was_written) {
        ASSERT_TRUE(second) << dies_at << second.error().text;
      }
      if (second)
        EXPECT_EQ(second->text, "Second.") << dies_at;
      else
        EXPECT_EQ(second.error().kind, ErrorKind::not_found) << dies_at << second.error().text;
      ASSERT_TRUE(write_answer(files, root, kept_key('b'), kept_answer("Again."))) << dies_at;
      EXPECT_EQ(read_answer(files, root, kept_key('b'))->text, "Again.");
      if (!has_died) break;
    }
  }
}

TEST_F(CaptionAnswers, OfAFullDiskAreAnErrorAndLeaveTheOthers) {
  LossyFileSystem files(folder_.path());
  ASSERT_TRUE(write_answer(files, root_, kept_key('a'), kept_answer()));
  files.limit_space(400);
  const auto written = write_answer(files, root_, kept_key('b'), kept_answer(std::string(1000, 'x')));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::no_space_left);
  EXPECT_EQ(read_answer(files, root_, kept_key('b')).error().kind, ErrorKind::not_found);
  EXPECT_TRUE(read_answer(files, root_, kept_key('a')));
  EXPECT_THAT(*files.list(root_ + "/captions"), ElementsAre(kept_key('a') + ".json"));
}

TEST_F(CaptionAnswers, NoteTheirUseOnceADay) {
  write(kept_key('a'));
  age(file(kept_key('a')), std::chrono::hours(23));
  const time_t before = modified(file(kept_key('a')));
  note_use_of_answer(files_, root_, kept_key('a'));
  EXPECT_EQ(modified(file(kept_key('a'))), before);
  age(file(kept_key('a')), std::chrono::hours(25));
  note_use_of_answer(files_, root_, kept_key('a'));
  EXPECT_GE(modified(file(kept_key('a'))), before);
  EXPECT_EQ(*read_answer(files_, root_, kept_key('a')), kept_answer());
}

TEST_F(CaptionAnswers, AreListedByTheirUseWithoutStrangers) {
  EXPECT_THAT(keys(), IsEmpty());
  for (const char digit : {'a', 'b', 'c'}) write(kept_key(digit));
  age(file(kept_key('b')), std::chrono::hours(2));
  age(file(kept_key('c')), std::chrono::hours(1));
  put(root_ + "/captions/notes.txt", "mine");
  put(root_ + "/captions/" + kept_key('d'), "mine");
  put(root_ + "/captions/" + kept_key('A') + ".json", "mine");
  std::filesystem::create_directory(file(kept_key('e')));
  EXPECT_THAT(keys(), ElementsAre(kept_key('b'), kept_key('c'), kept_key('a')));
  EXPECT_EQ(list_answers(files_, root_)->front().size, content(file(kept_key('b'))).size());
}

TEST_F(CaptionAnswers, AreNoClips) {
  write(kept_key('a'));
  EXPECT_THAT(*list_store(files_, root_), IsEmpty());
}

TEST_F(CaptionAnswers, AreCountedAndRemovedWithTheClipsByTheirAge) {
  const uint64_t clips = add_clip("old", std::chrono::hours(3)) + add_clip("young", std::chrono::hours(1));
  for (const char digit : {'a', 'b', 'c'}) write(kept_key(digit));
  age(file(kept_key('a')), std::chrono::hours(4));
  age(file(kept_key('b')), std::chrono::hours(2));
  put(root_ + "/captions/notes.txt", "mine");
  const uint64_t one = content(file(kept_key('a'))).size();
  const uint64_t all = 3 * one + clips;

  auto pruned = prune_store(files_, root_, all);
  ASSERT_TRUE(pruned);
  EXPECT_EQ(pruned->size, all);
  EXPECT_EQ(pruned->answers, 0u);
  EXPECT_THAT(removal_text(*pruned), IsEmpty());

  pruned = prune_store(files_, root_, all - 1);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, IsEmpty());
  EXPECT_EQ(pruned->answers, 1u);
  EXPECT_EQ(pruned->answers_size, one);
  EXPECT_EQ(pruned->size, all - one);
  EXPECT_THAT(removal_text(*pruned), HasSubstr("One kept answer of gencaption was removed"));
  EXPECT_THAT(keys(), ElementsAre(kept_key('b'), kept_key('c')));

  pruned = prune_store(files_, root_, all - one - 1);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, SizeIs(1));
  EXPECT_EQ(pruned->removed.front().prompt(), "old");
  EXPECT_EQ(pruned->answers, 0u) << "the clip is older";

  pruned = prune_store(files_, root_, one);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, SizeIs(1));
  EXPECT_EQ(pruned->answers, 1u);
  EXPECT_EQ(pruned->size, one);
  EXPECT_THAT(keys(), ElementsAre(kept_key('c')));

  pruned = prune_store(files_, root_, 0);
  ASSERT_TRUE(pruned);
  EXPECT_EQ(pruned->size, 0u);
  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_EQ(content(root_ + "/captions/notes.txt"), "mine");
}

TEST_F(CaptionAnswers, LeaveRestsOfKilledWritersThatPruneRemoves) {
  write(kept_key('a'));
  const std::string old = caption_temporary(root_, kept_key('b'));
  const std::string fresh = caption_temporary(root_, kept_key('b'));
  ASSERT_NE(old, fresh);
  const std::string strange = root_ + "/captions/mine.tmp";
  for (const std::string &path : {old, fresh, strange}) put(path, "half");
  age(old, std::chrono::hours(2));
  age(strange, std::chrono::hours(2));
  EXPECT_THAT(keys(), ElementsAre(kept_key('a')));
  ASSERT_TRUE(prune_store(files_, root_, 1 << 20));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh)) << "its writer may be at work";
  EXPECT_TRUE(std::filesystem::exists(strange));
}

TEST_F(CaptionAnswers, AreRemovedOneByOne) {
  write(kept_key('a'));
  write(kept_key('b'));
  EXPECT_TRUE(remove_answer(files_, root_, kept_key('a')));
  EXPECT_TRUE(remove_answer(files_, root_, kept_key('a'))) << "it is gone already";
  EXPECT_THAT(keys(), ElementsAre(kept_key('b')));
}

}  // namespace
}  // namespace genclip::test
