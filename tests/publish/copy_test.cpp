// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The names of copies, and copies that are there whole or not at all.
#include "plugin/publish/copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "plugin/base/gref.h"
#include "tests/support/file_content.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kSecret(32, 'k');

std::string name_of(const std::string &bytes, const std::string &type = "image/png",
                    const std::string &secret = kSecret) {
  const LocalFile file = taken(LocalFile::with_content(bytes));
  return taken(copy_name(file, taken(file.sha256(nullptr)), secret, type, nullptr));
}

std::vector<std::string> names_in(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  return names;
}

TEST(CopyName, IsTheHmacOfTheContent) {
  // printf abc | openssl dgst -sha256 -mac hmac -macopt key:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
  EXPECT_EQ(name_of("abc"), "af61b693912efc56e2e46f949719ea10a9e80d68f8dcfb84e26cac5330da3c74.png");
  EXPECT_NE(name_of("abd"), name_of("abc"));
  EXPECT_NE(name_of("abc", "image/png", std::string(32, 'l')), name_of("abc"));
}

TEST(CopyName, HasTheExtensionOfTheType) {
  const std::pair<const char *, const char *> kinds[] = {
      {"image/jpeg", "jpg"},  {"image/png", "png"},     {"image/webp", "webp"},
      {"image/x-bmp", "bmp"}, {"video/mp4", "mp4"},     {"video/quicktime", "mov"},
      {"video/webm", "webm"}, {"audio/mpeg", "mp3"},    {"audio/x-wav", "wav"},
      {"audio/mp4", "m4a"},   {"audio/x-flac", "flac"}, {"application/ogg", "ogg"},
      {"image/heic", "heic"}, {"image/tiff", "tif"},    {"video/x-matroska", "mkv"},
      {"image/avif", "avif"}};
  for (const auto &[type, extension] : kinds) {
    EXPECT_TRUE(name_of("abc", type).ends_with(std::string(".") + extension)) << type;
    EXPECT_TRUE(is_copy_name(name_of("abc", type))) << type;
  }
}

TEST(CopyName, IsOnlyForMedia) {
  const LocalFile file = taken(LocalFile::with_content("abc"));
  for (const char *type : {"text/html", "image/svg+xml", "application/x-hls", "application/pdf", ""})
    EXPECT_EQ(failure_of(copy_name(file, taken(file.sha256(nullptr)), kSecret, type, nullptr)).kind,
              ErrorKind::wrong_type)
        << type;
}

TEST(CopyName, IsRecognised) {
  const std::string digits(64, 'a');
  EXPECT_TRUE(is_copy_name(digits + ".png"));
  for (const std::string &name :
       {digits, digits + ".", digits + ".exe", digits + ".jpeg", digits.substr(1) + ".png",
        "A" + digits.substr(1) + ".png", digits + "a.png", "../" + digits + ".png", digits + ".png.tmp",
        std::string()})
    EXPECT_FALSE(is_copy_name(name)) << name;
}

class Copies : public testing::Test {
 protected:
  Result<void> write(FileSystem &files, const std::string &bytes, GCancellable *cancellable = nullptr) {
    const LocalFile file = taken(LocalFile::with_content(bytes));
    return write_copy(files, file, taken(file.sha256(nullptr)), folder_.path(), "a.png",
                      FileSystem::Mode::publish, cancellable);
  }

  const TemporaryFolder folder_;
};

TEST_F(Copies, AreReadableByAllWhateverTheUmaskIs) {
  const mode_t before = umask(077);
  const auto written = write(FileSystem::posix(), "abc");
  umask(before);
  ASSERT_TRUE(written);
  EXPECT_EQ(content(folder_.file("a.png")), "abc");
  struct stat status;
  ASSERT_EQ(stat(folder_.file("a.png").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
  EXPECT_THAT(names_in(folder_.path()), testing::ElementsAre("a.png"));
}

TEST_F(Copies, AreOfTheCheckedContentOnly) {
  const LocalFile file = taken(LocalFile::with_content("abc"));
  const std::string other = taken(taken(LocalFile::with_content("abd")).sha256(nullptr));
  const auto written = write_copy(FileSystem::posix(), file, other, folder_.path(), "a.png",
                                  FileSystem::Mode::publish, nullptr);
  EXPECT_EQ(failure_of(copy_name(file, other, kSecret, "image/png", nullptr)).kind, ErrorKind::busy);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::busy);
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(Copies, OfAFileThatChangesAreNotMade) {
  const TemporaryFolder source;
  std::ofstream(source.file("a")) << std::string(1 << 20, 'x');
  const LocalFile file = taken(LocalFile::open(source.file("a"), nullptr));
  const std::string sum = taken(file.sha256(nullptr));
  std::fstream(source.file("a"), std::ios::in | std::ios::out).put('y');
  const auto written =
      write_copy(FileSystem::posix(), file, sum, folder_.path(), "a.png", FileSystem::Mode::publish, nullptr);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("The file has changed"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(Copies, AreNotLeftHalfDoneByAFault) {
  const std::string bytes(600'000, 'x');
  for (size_t operation = 1;; ++operation) {
    const TemporaryFolder folder;
    LossyFileSystem files(folder.path());
    files.fail_at(operation, {ErrorKind::no_space_left, "full"});
    const LocalFile file = taken(LocalFile::with_content(bytes));
    const auto written = write_copy(files, file, taken(file.sha256(nullptr)), folder.path(), "a.png",
                                    FileSystem::Mode::publish, nullptr);
    if (written) {
      EXPECT_GT(operation, 5u);
      return;
    }
    EXPECT_EQ(written.error().kind, ErrorKind::no_space_left);
    for (const std::string &name : names_in(folder.path())) {
      EXPECT_EQ(name, "a.png") << operation;
      EXPECT_EQ(content(folder.file(name)), bytes) << operation;
    }
  }
}

TEST_F(Copies, AreWholeOrMissingAfterAnyCrash) {
  const std::string bytes(600'000, 'x');
  for (size_t operation = 1;; ++operation) {
    for (const Loss loss : {Loss::nothing, Loss::names, Loss::contents, Loss::both}) {
      const TemporaryFolder folder;
      LossyFileSystem files(folder.path());
      files.die_at(operation);
      const LocalFile file = taken(LocalFile::with_content(bytes));
      const auto written = write_copy(files, file, taken(file.sha256(nullptr)), folder.path(), "a.png",
                                      FileSystem::Mode::publish, nullptr);
      const bool is_over = !files.is_dead();
      files.crash(loss);
      for (const std::string &name : names_in(folder.path()))
        EXPECT_TRUE(is_temporary_name(name) || content(folder.file(name)) == bytes)
            << operation << " " << name;
      if (written) {
        EXPECT_EQ(content(folder.file("a.png")), bytes) << operation;
      }
      if (is_over && loss == Loss::both) return;
    }
  }
}

TEST_F(Copies, EndWhenTheyAreCancelled) {
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  EXPECT_EQ(write(FileSystem::posix(), "abc", cancellable.get()).error().kind, ErrorKind::cancelled);
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

}  // namespace
}  // namespace genclip::test
