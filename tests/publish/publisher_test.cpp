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

#include "plugin/base/gref.h"
#include "plugin/publish/copy.h"
#include "plugin/task/media_format.h"
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
  // Durations of libc++ have 128 bits, which GoogleTest cannot print.
  EXPECT_TRUE(fs::file_time_type::clock::now() - fs::last_write_time(path) < std::chrono::hours(1));

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

// For each of both ways.
TEST_F(Publishing, ForAPublicServiceIsAtNoPrivateAddress) {
  settings_.refuses_private_hosts = true;
  settings_.url = "http://127.0.0.1:8000";
  EXPECT_THAT(failure_of(publish_bytes("picture")).text, HasSubstr("publish-url is at an address of this"));
  settings_.folder = settings_.url = "";
  std::ofstream(folder_.file("upload")) << "#!/bin/sh\necho http://127.0.0.1:8000/a.png\n";
  chmod(folder_.file("upload").c_str(), 0700);
  settings_.command = folder_.file("upload");
  EXPECT_THAT(failure_of(publish_bytes("picture")).text,
              HasSubstr("URL that is at an address of this machine"));
  settings_.refuses_private_hosts = false;
  EXPECT_EQ(taken(publish_bytes("picture")).url, "http://127.0.0.1:8000/a.png");
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

// M4: before anything is paid for what will be published. Each leaves the folder as it was.
class TryingToPublish : public Publishing {
 protected:
  ~TryingToPublish() override {
    EXPECT_THAT(copies(), testing::IsEmpty());
    EXPECT_FALSE(fs::exists(folder_.file("store"))) << "and makes no secret";
  }

  Result<void> try_it(GCancellable *cancellable = nullptr) {
    return try_publishing(settings_, {&http_, &clock_, files_}, folder_.file("store"), cancellable);
  }
  void use_command(const std::string &command) {
    command_ = {};
    command_.command = command;
    command_.working_folder = folder_.path();
  }
  Result<void> try_command() {
    return try_publishing(command_, {&http_, &clock_, files_}, folder_.file("store"), nullptr);
  }
  // Answers for whatever is in the folder, as a web server of it does.
  void serve() {
    http_.otherwise([this](const HttpRequest &request) {
      const std::string path = settings_.folder + "/" + request.url.substr(request.url.rfind('/') + 1);
      asked_.insert(request.url);
      if (!fs::exists(path)) return answer(404, "");
      EXPECT_TRUE(is_copy_name(fs::path(path).filename().string())) << path;
      served_ = content(path);
      return answer(200, "",
                    {{"Content-Length", std::to_string(served_.size())}, {"Content-Type", "image/png"}});
    });
  }

  PublishSettings command_;
  std::set<std::string> asked_;
  std::string served_;
};

TEST_F(TryingToPublish, AsksForAPictureUnderANameOfItsOwnEachTime) {
  settings_.check = PublishCheck::headers;
  serve();
  EXPECT_TRUE(try_it());
  EXPECT_EQ(sniff_media_type(served_), "image/png");
  EXPECT_TRUE(try_it());
  EXPECT_EQ(asked_.size(), 2u);
  for (const std::string &url : asked_) EXPECT_THAT(url, testing::StartsWith(settings_.url));
}

TEST_F(TryingToPublish, AsksNoUrlWhereThisHostCannot) {
  EXPECT_TRUE(try_it());
  EXPECT_THAT(http_.requests(), testing::IsEmpty());
}

TEST_F(TryingToPublish, FindsAUrlThatShowsAnotherFolder) {
  settings_.check = PublishCheck::headers;
  http_.otherwise([](const HttpRequest &) { return answer(404, ""); });
  EXPECT_THAT(failure_of(try_it()).text,
              AllOf(HasSubstr("answers HTTP 404"), HasSubstr("Correct publish-url")));
}

TEST_F(TryingToPublish, EndsAndRemovesThePictureWhenItIsCancelled) {
  settings_.check = PublishCheck::headers;
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  serve();
  http_.before_answer([&](const HttpRequest &) {
    EXPECT_EQ(copies().size(), 1u);
    g_cancellable_cancel(cancellable.get());
  });
  EXPECT_EQ(failure_of(try_it(cancellable.get())).kind, ErrorKind::cancelled);
}

TEST_F(TryingToPublish, FindsAFolderThatIsNoneAndMakesNone) {
  const std::string folder = settings_.folder;
  std::ofstream(folder_.file("file")) << "text";
  for (const char *wrong : {"missing", "file"}) {
    settings_.folder = folder_.file(wrong);
    EXPECT_THAT(
        failure_of(try_it()).text,
        AllOf(HasSubstr("A copy cannot be written into " + settings_.folder), HasSubstr("publish-folder")));
  }
  EXPECT_FALSE(fs::exists(folder_.file("missing")));
  settings_.folder = folder;
}

TEST_F(TryingToPublish, FindsAFolderThatCannotBeWritten) {
  LossyFileSystem files(settings_.folder);
  files_ = &files;
  // Two look for the secret. Of the others, the last one removes the picture.
  for (size_t step = 3; step <= 9; ++step) {
    files.fail_at(files.operations() + step, {ErrorKind::open_write, "Read-only file system."});
    EXPECT_THAT(failure_of(try_it()).text, HasSubstr("Make the folder writable")) << step;
  }
}

TEST_F(TryingToPublish, FindsThatThereIsNoRoomForAPicture) {
  LossyFileSystem files(settings_.folder);
  files_ = &files;
  files.limit_space((uint64_t{16} << 20) - 1);
  const Error error = failure_of(try_it());
  EXPECT_EQ(error.kind, ErrorKind::no_space_left);
  EXPECT_THAT(error.text, AllOf(HasSubstr("There is no room for a copy in " + settings_.folder),
                                HasSubstr("genclip publish prune")));
  use_command("true");
  EXPECT_THAT(failure_of(try_command()).text, HasSubstr("Set TMPDIR to a folder with free space"));
  files.limit_space(uint64_t{16} << 20);
  EXPECT_TRUE(try_it());
  EXPECT_TRUE(try_command());
}

TEST_F(TryingToPublish, LooksForACommandAndDoesNotRunIt) {
  std::ofstream(folder_.file("upload")) << "#!/bin/sh\ntouch '" + folder_.file("ran") + "'\n";
  for (const char *wrong : {"   ", "'", "no-such-program", "/no/such/program", "./upload"}) {
    use_command(wrong);
    EXPECT_THAT(failure_of(try_command()).text, HasSubstr("GENCLIP_PUBLISH_COMMAND")) << wrong;
  }
  chmod(folder_.file("upload").c_str(), 0700);
  command_.check = PublishCheck::headers;
  EXPECT_TRUE(try_command());
  EXPECT_FALSE(fs::exists(folder_.file("ran"))) << "what was uploaded nobody can take back";
  EXPECT_THAT(http_.requests(), testing::IsEmpty());
}

TEST_F(TryingToPublish, WritesWhereACommandWouldFindItsFile) {
  LossyFileSystem files(folder_.path());
  files_ = &files;
  use_command("true");
  const std::string begin = "There is no room for a copy in ";
  // Two look for the secret; the others open, write, sync and rename.
  for (size_t step = 3; step <= 6; ++step) {
    files.fail_at(files.operations() + step, {ErrorKind::no_space_left, "full"});
    const std::string text = failure_of(try_command()).text;
    ASSERT_THAT(text, AllOf(testing::StartsWith(begin), HasSubstr("Set TMPDIR"))) << step;
    const std::string folder = text.substr(begin.size(), text.find(". Set TMPDIR") - begin.size());
    EXPECT_THAT(folder, HasSubstr("genclip-publish-"));
    EXPECT_FALSE(fs::exists(folder)) << folder;
  }
}

TEST_F(TryingToPublish, NeedsSettingsAsPublishingDoes) {
  const std::string folder = std::exchange(settings_.folder, "");
  for (const char *url : {"", "https://media.example"}) {
    settings_.url = url;
    const Error error = failure_of(try_it());
    EXPECT_EQ(error.kind, ErrorKind::settings);
    EXPECT_EQ(error.text, failure_of(publish_bytes("picture")).text);
  }
  settings_.folder = folder;
}

}  // namespace
}  // namespace genclip::test
