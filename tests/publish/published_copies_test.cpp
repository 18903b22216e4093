// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A folder of copies beside a store whose records name some of them.
#include "plugin/publish/published_copies.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "plugin/publish/copy.h"
#include "plugin/publish/publish_secret.h"
#include "plugin/store/clip_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/give_up.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr int64_t kHour = 3600;

TEST(CopyNamesIn, AreFoundWhereverTheyStand) {
  const std::string a = std::string(64, 'a') + ".png";
  const std::string b = std::string(64, 'b') + ".mp4";
  EXPECT_THAT(copy_names_in("{\"references\":[{\"copy\":\"" + a + "\"}],\"request\":{\"first_image\":" +
                            "\"https://media.example/clips/" + b + "\"},\"replaces\":{\"x\":\"" + a + "\"}}"),
              ElementsAre(a, b));
  EXPECT_THAT(copy_names_in(a), ElementsAre(a));
  EXPECT_THAT(copy_names_in("0" + a + "?x=1"), ElementsAre(a)) << "rather too much than too little";
  EXPECT_THAT(copy_names_in(std::string(63, 'a') + ".png " + std::string(64, 'a') + ".exe .png . " +
                            std::string(64, 'a')),
              IsEmpty());
}

class PublishedCopies : public testing::Test {
 protected:
  PublishedCopies() {
    fs::create_directories(public_);
    secret_ = taken(publish_secret(files_, clock_, store_, nullptr));
  }

  int64_t now() const { return std::chrono::system_clock::to_time_t(clock_.wall_now()); }

  // Returns the copy's name.
  std::string copy(const std::string &bytes, int64_t age, const std::string &secret = {}) {
    const LocalFile file = taken(LocalFile::with_content(bytes));
    const std::string sum = taken(file.sha256(nullptr));
    const std::string name =
        taken(copy_name(file, sum, secret.empty() ? secret_ : secret, "image/png", nullptr));
    EXPECT_TRUE(write_copy(files_, file, sum, public_, name, FileSystem::Mode::publish, nullptr));
    set_age(name, age);
    return name;
  }
  void set_age(const std::string &name, int64_t age) {
    const auto then = static_cast<time_t>(now() - age);
    const timespec times[] = {{then, 0}, {then, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (public_ + "/" + name).c_str(), times, 0), 0);
  }
  void record(char digit, const std::string &text) {
    const ClipPath path(store_, std::string(64, digit));
    fs::create_directories(path.folder());
    std::ofstream(path.record()) << text;
  }
  void record(char digit, const std::string &state, int64_t age, const std::string &name) {
    record(digit, R"({"version":1,"state":")" + state + R"(","task_id":"t-1","updated_at":)" +
                      std::to_string(now() - age) +
                      R"(,"base_url":"https://s.example","api":"tasks","take":0,"request":{"model":"m"},)" +
                      R"("clip":{"file":"clip.mp4","size":1,"media_type":"video/mp4"},)" +
                      R"("references":[{"field":"first_image","index":0,"copy":")" + name + R"("}]})");
  }
  CopyFate fate(const std::string &name) {
    for (const PublishedCopy &copy : taken(list_copies(files_, clock_, store_, public_)))
      if (copy.name == name) return copy.fate;
    give_up(name + " is not listed");
  }
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(public_)) names.push_back(entry.path().filename());
    return names;
  }
  PruneReport prune(bool dry_run = false) {
    return taken(prune_copies(files_, clock_, store_, public_, dry_run));
  }

  const TemporaryFolder folder_;
  const std::string store_ = folder_.file("store");
  const std::string public_ = folder_.file("public");
  FileSystem &files_ = FileSystem::posix();
  FakeClock clock_;
  std::string secret_;
};

TEST_F(PublishedCopies, AreListedWithTheClipsThatUseThem) {
  const std::string old = copy("old", 100 * kHour);
  const std::string used = copy("used", 50 * kHour);
  record('a', "submitted", 50 * kHour, used);
  record('b', "complete", 40 * kHour, used);
  std::ofstream(public_ + "/index.html") << "not a copy";
  fs::create_directory(public_ + "/" + std::string(64, 'f') + ".png");
  const auto copies = taken(list_copies(files_, clock_, store_, public_));
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].name, old);
  EXPECT_EQ(copies[0].size, 3u);
  EXPECT_EQ(copies[0].modified, now() - 100 * kHour);
  EXPECT_EQ(copies[0].fate, CopyFate::due);
  EXPECT_EQ(copies[1].name, used);
  EXPECT_EQ(copies[1].fate, CopyFate::needed);
  EXPECT_THAT(copies[1].uses,
              ElementsAre(CopyUse{std::string(64, 'a'), ClipState::submitted, now() - 50 * kHour},
                          CopyUse{std::string(64, 'b'), ClipState::complete, now() - 40 * kHour}));
}

TEST_F(PublishedCopies, AreNeededWhatsoeverADamagedRecordSays) {
  const std::string name = copy("a", 100 * kHour);
  record('a', "{\"state\": \"complete\", damaged " + name);
  EXPECT_EQ(fate(name), CopyFate::needed);
  record('a', R"({"version":99,"state":"later","copy":")" + name + "\"}");
  EXPECT_EQ(fate(name), CopyFate::needed);
}

TEST_F(PublishedCopies, OfOtherStoresStay) {
  const std::string other = copy("a", 100 * kHour, std::string(32, 'x'));
  const std::string changed = copy("b", 100 * kHour);
  std::ofstream(public_ + "/" + changed) << "changed";
  set_age(changed, 100 * kHour);
  EXPECT_EQ(fate(other), CopyFate::foreign);
  EXPECT_EQ(fate(changed), CopyFate::foreign);
  EXPECT_THAT(prune().removed, IsEmpty());
  EXPECT_EQ(left().size(), 2u);
  fs::remove(store_ + "/publish-secret");
  EXPECT_THAT(prune().removed, IsEmpty()) << "a store without a secret has made no copies";
  EXPECT_FALSE(fs::exists(store_ + "/publish-secret"));
}

TEST_F(PublishedCopies, GoWhenTheyAreDueAndNoOthers) {
  const std::string due = copy("due", 100 * kHour);
  const std::string ended = copy("ended", 100 * kHour);
  const std::string recent = copy("recent", 23 * kHour);
  const std::string running = copy("running", 100 * kHour);
  record('a', "complete", 23 * kHour, ended);
  record('b', "submitted", 1000 * kHour, running);
  std::ofstream(public_ + "/.genclip-old.tmp") << "half";
  std::ofstream(public_ + "/.genclip-new.tmp") << "half";
  std::ofstream(public_ + "/.htaccess") << "the user's";
  for (const char *name : {".genclip-old.tmp", ".htaccess"}) set_age(name, 100 * kHour);
  set_age(".genclip-new.tmp", kHour);

  EXPECT_EQ(prune(true).removed.size(), 1u);
  EXPECT_EQ(left().size(), 7u) << "a dry run removes nothing";
  const PruneReport report = prune();
  ASSERT_EQ(report.removed.size(), 1u);
  EXPECT_EQ(report.removed[0].name, due);
  EXPECT_EQ(report.kept.size(), 3u);
  EXPECT_THAT(left(), UnorderedElementsAre(ended, recent, running, ".genclip-new.tmp", ".htaccess"));
  clock_.advance(std::chrono::hours(2));
  EXPECT_EQ(prune().removed.size(), 2u) << "the two that were kept for a day";
  EXPECT_THAT(left(), UnorderedElementsAre(running, ".genclip-new.tmp", ".htaccess"));
}

TEST_F(PublishedCopies, StayWhenARecordCannotBeRead) {
  copy("a", 100 * kHour);
  fs::create_directories(ClipPath(store_, std::string(64, 'a')).record());
  const auto pruned = prune_copies(files_, clock_, store_, public_, false);
  ASSERT_FALSE(pruned);
  EXPECT_THAT(pruned.error().text, HasSubstr("Which copies are needed is unknown"));
  EXPECT_EQ(left().size(), 1u);
}

TEST_F(PublishedCopies, NeedTheirFolder) {
  const auto listed = list_copies(files_, clock_, store_, folder_.file("none"));
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().text, HasSubstr("publish-folder"));
}

}  // namespace
}  // namespace genclip::test
