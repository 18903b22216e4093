// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A small file has either its old or its new content, whatever fails in between.
#include "plugin/base/durable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/file_content.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

using test::content;
using test::TemporaryFolder;

FileSystem &real() { return FileSystem::posix(); }

// The real files; records each call that changes something, and lets one of them fail.
class FailingFiles final : public FileSystem {
 public:
  explicit FailingFiles(size_t fails_at) : fails_at_(fails_at) {}

  std::vector<std::string> calls;

  // True if the call fails.
  bool note(const std::string &call) {
    calls.push_back(call);
    return calls.size() - 1 == fails_at_;
  }
  static Error full() { return {ErrorKind::no_space_left, "full"}; }

  Result<std::unique_ptr<File>> open(const std::string &path, Mode mode) override;
  Result<void> rename(const std::string &from, const std::string &to) override {
    if (note("rename " + name(from) + " " + name(to))) return full();
    return real().rename(from, to);
  }
  Result<void> remove(const std::string &path) override {
    if (note("remove " + name(path))) return full();
    return real().remove(path);
  }
  Result<void> make_folder(const std::string &path) override { return real().make_folder(path); }
  Result<void> sync_folder(const std::string &path) override {
    if (note("sync folder " + name(path))) return full();
    return real().sync_folder(path);
  }
  Result<std::vector<std::string>> list(const std::string &path) override { return real().list(path); }
  Result<std::optional<FileInfo>> info(const std::string &path) override { return real().info(path); }
  Result<void> touch(const std::string &path) override { return real().touch(path); }

  static std::string name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

 private:
  const size_t fails_at_;
};

class FailingFile final : public File {
 public:
  FailingFile(std::unique_ptr<File> file, FailingFiles &files) : file_(std::move(file)), files_(files) {}

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> target) override {
    return file_->read_at(offset, target);
  }
  Result<void> write_at(uint64_t offset, std::span<const std::byte> source) override {
    if (!files_.note("write")) return file_->write_at(offset, source);
    // Half of it arrives, as on a disk that fills up.
    EXPECT_TRUE(file_->write_at(offset, source.first(source.size() / 2)));
    return FailingFiles::full();
  }
  Result<uint64_t> size() override { return file_->size(); }
  Result<void> truncate(uint64_t size) override {
    if (files_.note("truncate")) return FailingFiles::full();
    return file_->truncate(size);
  }
  Result<void> sync() override {
    if (files_.note("sync")) return FailingFiles::full();
    return file_->sync();
  }

 private:
  std::unique_ptr<File> file_;
  FailingFiles &files_;
};

Result<std::unique_ptr<File>> FailingFiles::open(const std::string &path, Mode mode) {
  if (note("open " + name(path))) return full();
  auto file = real().open(path, mode);
  if (!file) return file;
  return std::unique_ptr<File>(std::make_unique<FailingFile>(std::move(file).value(), *this));
}

constexpr size_t kNever = 1000;

TEST(DurableFile, IsSyncedBeforeItsNameAndItsFolderAfter) {
  TemporaryFolder folder;
  FailingFiles files(kNever);
  ASSERT_TRUE(write_durably(files, folder.file("f"), "new"));
  const auto cut = std::find(files.calls.begin(), files.calls.end(), "truncate");
  ASSERT_NE(cut, files.calls.end()) << "the rest of a longer temporary would stay";
  files.calls.erase(cut);  // Before the write or after it.
  EXPECT_EQ(files.calls, (std::vector<std::string>{"open f.tmp", "write", "sync", "rename f.tmp f",
                                                   "sync folder " + FailingFiles::name(folder.path())}));
  EXPECT_EQ(content(folder.file("f")), "new");
}

TEST(DurableFile, HasNothingOfALongerTemporaryThatACrashLeft) {
  TemporaryFolder folder;
  std::ofstream(folder.file("f.tmp")) << "a long temporary";
  ASSERT_TRUE(write_durably(real(), folder.file("f"), "short"));
  EXPECT_EQ(content(folder.file("f")), "short");
}

TEST(DurableFile, IsTheOldOrTheNewOneWhateverFails) {
  constexpr size_t kSteps = 6;
  for (size_t step = 0; step <= kSteps; ++step) {
    SCOPED_TRACE(step);
    TemporaryFolder folder;
    ASSERT_TRUE(write_durably(real(), folder.file("f"), "the old one"));
    FailingFiles files(step);
    const auto written = write_durably(files, folder.file("f"), "the new one, and longer");
    EXPECT_EQ(written.has_value(), step == kSteps);
    if (!written) {
      EXPECT_EQ(written.error().kind, ErrorKind::no_space_left);
    }
    const bool renamed = step >= 5;
    EXPECT_EQ(content(folder.file("f")), renamed ? "the new one, and longer" : "the old one");
    // The remains of the failure cause no problems.
    EXPECT_TRUE(write_durably(real(), folder.file("f"), "third"));
    EXPECT_EQ(content(folder.file("f")), "third");
    EXPECT_FALSE(std::filesystem::exists(folder.file("f.tmp")));
  }
}

TEST(DurableFile, IsItsOwnersAlone) {
  const mode_t old = ::umask(0);
  TemporaryFolder folder;
  EXPECT_TRUE(write_durably(real(), folder.file("f"), "x"));
  ::umask(old);
  struct stat status = {};
  ASSERT_EQ(::stat(folder.file("f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST(DurableFile, DoesNotWriteThroughALink) {
  TemporaryFolder folder;
  std::ofstream(folder.file("precious")) << "precious";
  ASSERT_EQ(::symlink("precious", folder.file("f.tmp").c_str()), 0);
  EXPECT_FALSE(write_durably(real(), folder.file("f"), "x"));
  EXPECT_EQ(content(folder.file("precious")), "precious");
  // A link of the final name is replaced, not followed.
  ASSERT_TRUE(real().remove(folder.file("f.tmp")));
  ASSERT_EQ(::symlink("precious", folder.file("f").c_str()), 0);
  EXPECT_TRUE(write_durably(real(), folder.file("f"), "x"));
  EXPECT_EQ(content(folder.file("precious")), "precious");
  EXPECT_EQ(content(folder.file("f")), "x");
}

TEST(DurableFile, NeedsItsFolder) {
  TemporaryFolder folder;
  const auto written = write_durably(real(), folder.file("missing/f"), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::not_found);
}

TEST(DurableFile, IsReadWholeWithinItsLimit) {
  TemporaryFolder folder;
  const std::string text = std::string("a\0b", 3) + std::string(100000, 'x');
  ASSERT_TRUE(write_durably(real(), folder.file("f"), text));
  const auto whole = read_whole(real(), folder.file("f"), text.size());
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, text);
  const auto larger = read_whole(real(), folder.file("f"), text.size() - 1);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().kind, ErrorKind::wrong_type);
  ASSERT_TRUE(write_durably(real(), folder.file("empty"), ""));
  EXPECT_EQ(*read_whole(real(), folder.file("empty"), 0), "");
}

// The server has given the file up that was opened, because another one has its name.
TEST(DurableFile, IsReadAgainWhenAnotherMachineReplacesItAmidReading) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_durably(real(), folder.file("x"), "text"));
  for (const size_t operation : {2u, 3u, 4u}) {  // Opened, asked for its size, read.
    test::LossyFileSystem files(folder.path());
    files.fail_at(operation, {ErrorKind::stale, "Stale file handle."});
    const auto text = read_whole(files, folder.file("x"), 100);
    ASSERT_TRUE(text) << operation << ": " << text.error().text;
    EXPECT_EQ(*text, "text");
    files.fail_at(files.operations() + operation, {ErrorKind::read, "Input/output error."});
    EXPECT_FALSE(read_whole(files, folder.file("x"), 100)) << "that is no reason to read again";
  }
}

TEST(DurableFile, ThatIsReplacedEachTimeCannotBeReadInTheEnd) {
  int tries = 0;
  const auto text = retry_when_replaced([&]() -> Result<std::string> {
    ++tries;
    return Error{ErrorKind::stale, "Stale file handle."};
  });
  EXPECT_EQ(test::failure_of(text).kind, ErrorKind::read);
  EXPECT_EQ(tries, 10);
}

TEST(DurableFile, ReadsRegularFilesOnly) {
  TemporaryFolder folder;
  std::ofstream(folder.file("f")) << "x";
  ASSERT_EQ(::symlink("f", folder.file("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(test::failure_of(read_whole(real(), folder.file("link"), 10)).kind, ErrorKind::wrong_type);
  EXPECT_EQ(test::failure_of(read_whole(real(), folder.file("pipe"), 10)).kind, ErrorKind::wrong_type)
      << "and does not wait for it";
  EXPECT_EQ(test::failure_of(read_whole(real(), folder.path(), 10)).kind, ErrorKind::wrong_type);
  EXPECT_EQ(test::failure_of(read_whole(real(), folder.file("missing"), 10)).kind, ErrorKind::not_found);
}

TEST(DurableFolder, IsKnownToEachOfItsNewParents) {
  TemporaryFolder folder;
  FailingFiles files(kNever);
  ASSERT_TRUE(make_folder_durably(files, folder.file("a/b/c")));
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("a/b/c")));
  std::sort(files.calls.begin(), files.calls.end());
  EXPECT_EQ(files.calls, (std::vector<std::string>{"sync folder a", "sync folder b",
                                                   "sync folder " + FailingFiles::name(folder.path())}));
  files.calls.clear();
  ASSERT_TRUE(make_folder_durably(files, folder.file("a/b/c")));
  EXPECT_TRUE(files.calls.empty()) << "what is there needs no sync";
  for (size_t step = 0; step < 3; ++step) {
    FailingFiles failing(step);
    const auto made = make_folder_durably(failing, folder.file("x" + std::to_string(step) + "/y/z"));
    ASSERT_FALSE(made) << step;
    EXPECT_EQ(made.error().kind, ErrorKind::no_space_left);
  }
}

TEST(FolderOf, IsWhatComesBeforeTheName) {
  EXPECT_EQ(folder_of("/a/b/c"), "/a/b");
  EXPECT_EQ(folder_of("/a"), "/");
  EXPECT_EQ(folder_of("a"), ".");
  EXPECT_EQ(folder_of("a/b"), "a");
}

}  // namespace
}  // namespace genclip
