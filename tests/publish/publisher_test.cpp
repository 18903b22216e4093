// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Files made public by a folder and by a command.
#include "plugin/publish/publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "plugin/publish/copy.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/file_content.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Publishing : public testing::Test {
 protected:
  Publishing() {
    fs::create_directory(settings_.folder);
    settings_.check = PublishCheck::none;
  }

  Result<Published> publish_file(const LocalFile &file) {
    return publish(settings_, {&http_, &clock_, files_}, folder_.file("store"), file,
                   taken(file.sha256(nullptr)), "image/png", nullptr);
  }
  Result<Published> publish_bytes(const std::string &bytes) {
    return publish_file(taken(LocalFile::with_content(bytes)));
  }
  std::set<std::string> copies() const {
    std::set<std::string> names;
    for (const auto &entry : fs::directory_iterator(settings_.folder)) names.insert(entry.path().filename());
    return names;
  }

  const TemporaryFolder folder_;
  FakeClock clock_;
  FakeHttpClient http_{clock_};
  FileSystem *files_ = &FileSystem::posix();
  PublishSettings settings_{
      folder_.file("public"), "https://media.example/clips/", "", {}, PublishCheck::none};
};

TEST_F(Publishing, PutsACopyUnderItsNameAtTheUrl) {
  const Published published = taken(publish_bytes("picture"));
  EXPECT_EQ(published.url, "https://media.example/clips/" + published.copy);
  EXPECT_TRUE(is_copy_name(published.copy));
  EXPECT_EQ(content(settings_.folder + "/" + published.copy), "picture");
  settings_.url = "https://media.example";
  EXPECT_EQ(taken(publish_bytes("picture")).url, "https://media.example/" + published.copy);
}

TEST_F(Publishing, IsOfTheContentAndNotOfTheName) {
  std::ofstream(folder_.file("one.png")) << "picture";
  fs::copy_file(folder_.file("one.png"), folder_.file("two.jpg"));
  fs::create_symlink("one.png", folder_.file("three"));
  std::ofstream(folder_.file("other.png")) << "pictura";
  for (const char *name : {"one.png", "two.jpg", "three"})
    ASSERT_TRUE(publish_file(taken(LocalFile::open(folder_.file(name), nullptr))));
  EXPECT_EQ(copies().size(), 1u);
  ASSERT_TRUE(publish_file(taken(LocalFile::open(folder_.file("other.png"), nullptr))));
  EXPECT_EQ(copies().size(), 2u);
}

TEST_F(Publishing, TouchesACopyThatIsThereAndRepairsOneThatIsNot) {
  const std::string path = settings_.folder + "/" + taken(publish_bytes("picture")).copy;
  struct stat before;
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(100));
  ASSERT_TRUE(publish_bytes("picture"));
  struct stat after;
  ASSERT_EQ(stat(path.c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino) << "it was written again";
  EXPECT_LT(fs::file_time_type::clock::now() - fs::last_write_time(path), std::chrono::hours(1));

  fs::resize_file(path, 3);
  ASSERT_TRUE(publish_bytes("picture"));
  EXPECT_EQ(content(path), "picture");
}

TEST_F(Publishing, WritesNothingWhereACopyIsThere) {
  LossyFileSystem files(folder_.path());
  files_ = &files;
  ASSERT_TRUE(publish_bytes("picture"));
  files.limit_space(0);
  EXPECT_TRUE(publish_bytes("picture")) << "the disk is full, but nothing is to be written";
}

TEST_F(Publishing, SaysWhatToDoAboutTheFolder) {
  ASSERT_TRUE(publish_bytes("picture"));
  const auto problem = [&] { return failure_of(publish_bytes("another")); };
  const std::string folder = settings_.folder;
  for (const char *wrong : {"/missing", "/store/publish-secret"}) {
    settings_.folder = folder_.path() + wrong;
    EXPECT_THAT(problem().text, AllOf(HasSubstr(settings_.folder), HasSubstr("publish-folder"))) << wrong;
    EXPECT_FALSE(fs::exists(folder_.file("missing"))) << "perhaps a mount is missing";
  }
  settings_.folder = folder;
  LossyFileSystem files(folder);
  files_ = &files;
  files.limit_space(3);
  EXPECT_EQ(problem().kind, ErrorKind::no_space_left);
  EXPECT_THAT(problem().text, AllOf(HasSubstr("no room"), HasSubstr("genclip publish prune"),
                                    Not(HasSubstr("property store"))));
  EXPECT_EQ(copies().size(), 1u);
}

TEST_F(Publishing, NeedsAFolderThatItMayWrite) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(settings_.folder.c_str(), 0500);
  EXPECT_THAT(failure_of(publish_bytes("picture")).text, HasSubstr("Make the folder writable"));
}

TEST_F(Publishing, NeedsSettings) {
  settings_ = {};
  EXPECT_EQ(failure_of(publish_bytes("picture")).kind, ErrorKind::settings);
  settings_.folder = folder_.path();
  EXPECT_EQ(failure_of(publish_bytes("picture")).kind, ErrorKind::settings);
}

TEST_F(Publishing, ByCommandGivesARealFileForAsLongAsItRuns) {
  const std::string seen = folder_.file("seen");
  std::ofstream(folder_.file("upload")) << "#!/bin/sh\n[ -f \"$1\" ] && [ ! -L \"$1\" ] || exit 9\n"
                                           "cp \"$1\" '" +
                                               seen + "'; stat -c %a \"$(dirname \"$1\")\" > '" + seen +
                                               ".mode'\necho \"$1\" > '" + seen +
                                               ".path'\ntouch \"$1.left\"\n"
                                               "echo \"https://bucket.example/$(basename \"$1\")?sig=1\"\n";
  chmod(folder_.file("upload").c_str(), 0700);
  const std::string copy = taken(publish_bytes("picture")).copy;
  settings_ = {};
  settings_.command = folder_.file("upload");
  settings_.check = PublishCheck::none;
  const Published published = taken(publish_bytes("picture"));
  EXPECT_EQ(published.copy, "");
  EXPECT_EQ(published.url, "https://bucket.example/" + copy + "?sig=1") << "its name cannot be guessed";
  EXPECT_EQ(content(seen), "picture");
  EXPECT_EQ(content(seen + ".mode"), "700\n");
  const std::string path = content(seen + ".path");
  EXPECT_FALSE(fs::exists(fs::path(path).parent_path())) << path;
}

TEST_F(Publishing, AsksTheUrlBeforeItSaysThatItIsDone) {
  settings_.check = PublishCheck::headers;
  const auto sized = [](const char *size) {
    return answer(200, "", {{"Content-Length", size}, {"Content-Type", "image/png"}});
  };
  http_.expect(sized("7"));
  EXPECT_TRUE(publish_bytes("picture"));
  http_.otherwise([&](const HttpRequest &) { return sized("8"); });
  EXPECT_EQ(failure_of(publish_bytes("picture")).kind, ErrorKind::open_read);
}

}  // namespace
}  // namespace genclip::test
