// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where a clip goes that a user wants as a file.
#include "plugin/command/clip_output.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "tests/support/file_content.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;

class ClipOutputTest : public testing::Test {
 protected:
  // More than is copied at once.
  ClipOutputTest() : bytes_(std::string(1 << 20, 'a') + "bcdef") {
    write("clip.mp4", bytes_);
    clip_.start(taken(FileSystem::posix().open(folder_.file("clip.mp4"), FileSystem::Mode::read)),
                bytes_.size());
    clip_.advance(bytes_.size());
    clip_.complete();
  }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto &entry : fs::directory_iterator(folder_.path())) names.insert(entry.path().filename());
    return names;
  }
  // Whether it was written, as its time tells, too.
  bool writes(const std::string &name) {
    const fs::path path = folder_.file(name);
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    if (fs::exists(path)) fs::last_write_time(path, old);
    const bool said = taken(write_output(clip_, path));
    EXPECT_EQ(said, fs::last_write_time(path) != old);
    EXPECT_EQ(content(path), bytes_);
    return said;
  }

  TemporaryFolder folder_;
  const std::string bytes_;
  GrowingClip clip_;
};

TEST_F(ClipOutputTest, AFileOfTheSameBytesStaysAsItIs) {
  EXPECT_TRUE(writes("kite.mp4"));
  EXPECT_FALSE(writes("kite.mp4"));
  fs::create_hard_link(folder_.file("clip.mp4"), folder_.file("hard.mp4"));
  EXPECT_FALSE(writes("hard.mp4"));
}

// L3
TEST_F(ClipOutputTest, NoStoredClipIsReplaced) {
  const std::string digest(64, 'a');
  fs::create_directories(folder_.file("store/" + digest));
  write("store/" + digest + "/task.json", "{}");
  fs::create_directory_symlink(folder_.file("store/" + digest), folder_.file("link"));
  fs::create_directories(folder_.file("store/" + std::string(64, 'b')));
  for (const std::string &name : {"store/" + digest + "/clip.mp4", "store/" + digest + "/new.png",
                                  "store/../store/" + digest + "/task.json", std::string("link/clip.mp4"),
                                  std::string("store/ledger.jsonl"), std::string("store/budget.json"),
                                  std::string("store/clips.summary")}) {
    const auto checked = check_output(folder_.file(name), nullptr);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().kind, ErrorKind::settings);
    EXPECT_NE(checked.error().text.find("it is a file of a clip store"), std::string::npos);
  }
  EXPECT_TRUE(check_output(folder_.file("store/" + std::string(64, 'b') + "/clip.mp4"), nullptr));
  EXPECT_TRUE(check_output(folder_.file("store/clip.mp4"), nullptr));
}

TEST_F(ClipOutputTest, NoTextIsReplaced) {
  for (const char *name : {"kite.vtt", "kite.SRT", "notes.txt", "rows.jsonl", "film.xges"}) {
    const auto checked = check_output_name(folder_.file(name), nullptr);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().kind, ErrorKind::settings);
    EXPECT_TRUE(checked.error().text.ends_with(": the name is for a text, which no clip is")) << name;
  }
  for (const char *name : {"kite.mp4", "kite", "vtt", ".vtt.d/kite", "kite.vtt.mp4", "kite.gif"})
    EXPECT_TRUE(check_output_name(folder_.file(name), nullptr)) << name;
}

TEST_F(ClipOutputTest, KnowsAFileByAnyOfItsNames) {
  const std::string clip = folder_.file("clip.mp4");
  fs::create_hard_link(clip, folder_.file("hard.mp4"));
  fs::create_symlink(clip, folder_.file("link.mp4"));
  write("other.mp4", bytes_);
  EXPECT_TRUE(is_same_file(clip, folder_.file("hard.mp4")));
  EXPECT_TRUE(is_same_file(folder_.file("link.mp4"), folder_.file("hard.mp4")));
  EXPECT_FALSE(is_same_file(clip, folder_.file("other.mp4")));
  EXPECT_TRUE(is_same_file("new.mp4", "./o/../new.mp4"));
  EXPECT_FALSE(is_same_file(folder_.file("new.mp4"), folder_.file("also-new.mp4")));
}

TEST_F(ClipOutputTest, AFileOfOtherBytesIsReplaced) {
  std::string other = bytes_;
  other.back() = 'g';
  write("same-size.mp4", other);
  write("longer.mp4", bytes_ + "g");
  write("empty.mp4", "");
  for (const char *name : {"same-size.mp4", "longer.mp4", "empty.mp4"}) EXPECT_TRUE(writes(name)) << name;
}

// A limit on a file's size ends a copy as a full disk does.
TEST_F(ClipOutputTest, NoPartOfAClipHasTheNameOfTheWhole) {
  write("old.mp4", "an older clip");
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit little = {bytes_.size() - 1, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const auto fresh = write_output(clip_, folder_.file("new.mp4"));
  const auto again = write_output(clip_, folder_.file("old.mp4"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  for (const auto *written : {&fresh, &again}) {
    ASSERT_FALSE(*written);
    EXPECT_EQ(written->error().kind, ErrorKind::write);
    EXPECT_NE(written->error().text.find(".mp4: File too large"), std::string::npos) << written->error().text;
  }
  EXPECT_EQ(content(folder_.file("old.mp4")), "an older clip");
  EXPECT_EQ(names(), (std::set<std::string>{"clip.mp4", "old.mp4"}));
}

TEST_F(ClipOutputTest, WhoStopsACopyLeavesNothingOfIt) {
  write("old.mp4", "an older clip");
  for (const char *name : {"new.mp4", "old.mp4"}) {
    int pieces = 0;
    const auto written = write_output(clip_, folder_.file(name), [&] { return ++pieces == 2; });
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().kind, ErrorKind::cancelled);
  }
  EXPECT_EQ(content(folder_.file("old.mp4")), "an older clip");
  EXPECT_EQ(names(), (std::set<std::string>{"clip.mp4", "old.mp4"}));
  EXPECT_TRUE(taken(write_output(clip_, folder_.file("old.mp4"), [] { return false; })));
}

TEST_F(ClipOutputTest, OtherUsersMayReadItAsTheUmaskSays) {
  const mode_t mask = ::umask(027);
  write("old.mp4", "an older clip");
  fs::permissions(folder_.file("old.mp4"), fs::perms::owner_read);
  for (const char *name : {"new.mp4", "old.mp4"}) {
    EXPECT_TRUE(taken(write_output(clip_, folder_.file(name))));
    EXPECT_EQ(fs::status(folder_.file(name)).permissions(), fs::perms(0640)) << name;
  }
  ::umask(mask);
}

TEST_F(ClipOutputTest, AFolderIsNotReplaced) {
  fs::create_directory(folder_.file("kite"));
  const auto written = write_output(clip_, folder_.file("kite"));
  ASSERT_FALSE(written);
  EXPECT_TRUE(fs::is_directory(folder_.file("kite")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

TEST_F(ClipOutputTest, ALinkIntoTheStoreBecomesAFileOfItsOwn) {
  fs::create_symlink(folder_.file("clip.mp4"), folder_.file("link.mp4"));
  EXPECT_TRUE(taken(write_output(clip_, folder_.file("link.mp4"))));
  EXPECT_FALSE(fs::is_symlink(folder_.file("link.mp4")));
  EXPECT_EQ(content(folder_.file("link.mp4")), bytes_);
}

}  // namespace
}  // namespace genclip::test
