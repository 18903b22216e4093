// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The real file system: modes, errors and edges.
#include "plugin/base/file_system.h"

#include <fcntl.h>
#include <glib.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "plugin/base/durable_file.h"
#include "tests/support/file_content.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

using Mode = FileSystem::Mode;
using test::content;
using test::taken;
using test::TemporaryFolder;

FileSystem &files() { return FileSystem::posix(); }

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

mode_t mode_of(const std::string &path) {
  struct stat status = {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

std::string read_at(File &file, uint64_t offset, size_t size) {
  std::string target(size, '?');
  const auto count = file.read_at(offset, std::as_writable_bytes(std::span(target)));
  if (!count) return "error: " + count.error().text;
  target.resize(*count);
  return target;
}

TEST(FileSystem, MakesFilesAndFoldersForTheirOwnerAlone) {
  const mode_t old = ::umask(0);
  TemporaryFolder folder;
  EXPECT_TRUE(files().make_folder(folder.file("a/b/c")));
  EXPECT_TRUE(files().open(folder.file("a/b/c/file"), Mode::read_write));
  ::umask(old);
  EXPECT_EQ(mode_of(folder.file("a")), 0700u);
  EXPECT_EQ(mode_of(folder.file("a/b/c")), 0700u);
  EXPECT_EQ(mode_of(folder.file("a/b/c/file")), 0600u);
  EXPECT_TRUE(files().make_folder(folder.file("a/b/c"))) << "it may exist";
}

// Over NFS, a machine remembers for a while which files there are.
TEST(FileSystem, FindsWhatAnotherMachineHasJustMadeReplacedAndRemoved) {
  TemporaryFolder folder;
  const auto put = [&](const std::string &text) {
    EXPECT_TRUE(write_durably(files(), folder.file_on_other("a/b/file"), text));
  };
  const std::string path = folder.file("a/b/file");
  const auto text = [&] {
    const auto read = read_whole(files(), path, 100);
    return read ? *read : read.error().kind == ErrorKind::not_found ? "missing" : read.error().text;
  };
  const auto is_there = [&](const std::string &name) {
    const auto info = files().info(folder.file(name));
    return info && *info;
  };
  EXPECT_EQ(text(), "missing");
  EXPECT_FALSE(is_there("a/b/file"));
  EXPECT_FALSE(is_there("a"));
  EXPECT_FALSE(files().list(folder.file("a/b")));
  ASSERT_TRUE(files().make_folder(folder.file_on_other("a/b")));
  EXPECT_TRUE(is_there("a/b"));
  put("one");
  EXPECT_EQ(text(), "one");
  put("two");
  EXPECT_EQ(text(), "two");
  put("three");
  EXPECT_TRUE(files().rename(path, folder.file("a/b/moved")));
  EXPECT_EQ(content(folder.file("a/b/moved")), "three");
  EXPECT_EQ(text(), "missing");
  EXPECT_EQ(taken(files().list(folder.file_on_other("a/b"))), (std::vector<std::string>{"moved"}));

  EXPECT_TRUE(write_durably(files(), path, "ours"));
  EXPECT_EQ(text(), "ours");
  put("theirs");
  EXPECT_EQ(text(), "theirs") << "it has seen its own";
  EXPECT_TRUE(files().remove(path));
  EXPECT_EQ(text(), "missing");

  put("four");
  EXPECT_TRUE(files().remove(path));
  EXPECT_FALSE(std::filesystem::exists(path)) << "it seemed to be missing before";
  put("five");
  EXPECT_TRUE(is_there("a/b/file"));
  EXPECT_TRUE(files().remove(folder.file_on_other("a/b/file")));
  EXPECT_FALSE(is_there("a/b/file"));
}

// What is missing may be made by a name that was looked up long ago, and listed in a folder that was not
// there.
TEST(FileSystem, MakesFilesWhereAnotherMachineHasJustMadeTheFolder) {
  TemporaryFolder folder;
  EXPECT_FALSE(files().open(folder.file("a/file"), Mode::read_write));
  EXPECT_FALSE(files().list(folder.file("a")));
  ASSERT_TRUE(files().make_folder(folder.file_on_other("a")));
  EXPECT_TRUE(files().open(folder.file("a/file"), Mode::read_write));
  EXPECT_FALSE(taken(files().info(folder.file("d"))));
  ASSERT_TRUE(files().make_folder(folder.file_on_other("d")));
  EXPECT_TRUE(files().make_folder(folder.file("d/inner")));
  EXPECT_FALSE(files().list(folder.file("c")));
  ASSERT_TRUE(files().make_folder(folder.file_on_other("c")));
  EXPECT_EQ(taken(files().list(folder.file("c"))).size(), 0u);
}

TEST(FileSystem, ReadsAndWritesAnywhereInAFile) {
  TemporaryFolder folder;
  auto file = files().open(folder.file("f"), Mode::read_write);
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->write_at(3, bytes("defg")));
  EXPECT_TRUE((*file)->write_at(0, bytes("abc")));
  EXPECT_TRUE((*file)->write_at(1, bytes("")));
  EXPECT_EQ(read_at(**file, 0, 100), "abcdefg");
  EXPECT_EQ(read_at(**file, 5, 1), "f");
  EXPECT_EQ(read_at(**file, 7, 5), "");
  EXPECT_EQ(read_at(**file, 7000, 5), "") << "past the end";
  EXPECT_EQ(*(*file)->size(), 7u);
  EXPECT_TRUE((*file)->truncate(2));
  EXPECT_EQ(content(folder.file("f")), "ab");
  EXPECT_TRUE((*file)->write_at(4, bytes("x")));
  EXPECT_EQ(content(folder.file("f")), std::string("ab\0\0x", 5)) << "a hole reads as zeros";
  EXPECT_TRUE((*file)->sync());
}

TEST(FileSystem, OpensWhatIsThereWithoutCuttingIt) {
  TemporaryFolder folder;
  std::ofstream(folder.file("f")) << "kept";
  EXPECT_TRUE(files().open(folder.file("f"), Mode::read_write));
  EXPECT_EQ(content(folder.file("f")), "kept");
}

struct Refused {
  std::string what;
  Result<void> result;
  ErrorKind kind;
};

template <typename T>
Result<void> without_value(Result<T> result) {
  if (result) return {};
  return std::move(result).error();
}

TEST(FileSystem, NamesThePathAndTheRightKindOfEachFailure) {
  TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "x";
  std::ofstream(folder.file("target")) << "untouched";
  ASSERT_EQ(::symlink(folder.file("target").c_str(), folder.file("link").c_str()), 0);
  ASSERT_TRUE(files().make_folder(folder.file("full")));
  std::ofstream(folder.file("full/x")) << "x";
  const auto path = [&](const char *name) { return folder.file(name); };
  const Refused rows[] = {
      {"missing", without_value(files().open(path("missing"), Mode::read)), ErrorKind::not_found},
      {"missing", without_value(files().open(path("missing/x"), Mode::read_write)), ErrorKind::not_found},
      {"link", without_value(files().open(path("link"), Mode::read)), ErrorKind::open_read},
      {"link", without_value(files().open(path("link"), Mode::read_write)), ErrorKind::open_write},
      {"full", without_value(files().open(path("full"), Mode::read_write)), ErrorKind::open_write},
      {"file/x", without_value(files().open(path("file/x"), Mode::read)), ErrorKind::open_read},
      {"missing", files().rename(path("missing"), path("other")), ErrorKind::not_found},
      {"full", files().remove(path("full")), ErrorKind::write},
      {"file", files().make_folder(path("file/sub")), ErrorKind::open_write},
      {"/proc/genclip", files().make_folder("/proc/genclip/store"), ErrorKind::open_write},
      {"missing", files().sync_folder(path("missing")), ErrorKind::not_found},
      {"file", files().sync_folder(path("file")), ErrorKind::write},
      {"missing", without_value(files().list(path("missing"))), ErrorKind::not_found},
      {"missing", files().touch(path("missing")), ErrorKind::not_found},
  };
  for (const Refused &row : rows) {
    ASSERT_FALSE(row.result) << row.what;
    EXPECT_EQ(row.result.error().kind, row.kind) << row.result.error().text;
    EXPECT_NE(row.result.error().text.find(row.what), std::string::npos) << row.result.error().text;
  }
  EXPECT_EQ(content(path("target")), "untouched");
}

TEST(FileSystem, SaysWhatToDoAboutAFolderThatCannotBeMade) {
  const auto made = files().make_folder("/proc/genclip");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text.find("choose another folder with the property store"), std::string::npos)
      << made.error().text;
}

TEST(FileSystem, SaysSoWhenItMayNot) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  TemporaryFolder folder;
  ASSERT_TRUE(files().make_folder(folder.file("locked")));
  ASSERT_EQ(::chmod(folder.file("locked").c_str(), 0500), 0);
  const auto file = files().open(folder.file("locked/x"), Mode::read_write);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::open_write);
  EXPECT_NE(file.error().text.find("Check its permissions"), std::string::npos);
}

TEST(FileSystem, OpeningWhatIsNoFileIsAnErrorAtOnce) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  ASSERT_TRUE(files().make_folder(folder.file("folder")));
  ASSERT_EQ(::symlink("/etc/passwd", folder.file("link").c_str()), 0);
  for (const std::string &path :
       {folder.file("pipe"), folder.file("folder"), folder.file("link"), std::string("/dev/zero")}) {
    const auto to_read = files().open(path, Mode::read);
    ASSERT_FALSE(to_read) << path;
    EXPECT_EQ(to_read.error().kind, ErrorKind::open_read) << path;
    const auto to_write = files().open(path, Mode::read_write);
    ASSERT_FALSE(to_write) << path;
    EXPECT_EQ(to_write.error().kind, ErrorKind::open_write) << path;
  }
}

TEST(FileSystem, TellsThatTheDiskIsFullAndWhatToDo) {
  auto full = files().open("/dev/full", Mode::read_write);
  if (!full) GTEST_SKIP() << full.error().text;
  const auto written = (*full)->write_at(0, bytes("x"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::no_space_left);
  EXPECT_NE(written.error().text.find("/dev/full"), std::string::npos);
  EXPECT_NE(written.error().text.find("Free some space"), std::string::npos);
}

// In a separate process, because a limit cannot be raised again. A write that fits in part writes that part,
// then fails.
void write_past_the_limit(const std::string &path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {1000, 1000};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(2);
  auto file = files().open(path, Mode::read_write);
  if (!file) std::_Exit(3);
  const std::string text(1500, 'x');
  const auto written = (*file)->write_at(0, bytes(text));
  if (written) std::_Exit(4);
  if (written.error().kind != ErrorKind::no_space_left) std::_Exit(5);
  if (written.error().text.find("does not allow a larger file") == std::string::npos) std::_Exit(6);
  if (*(*file)->size() != 1000) std::_Exit(7);
  std::_Exit(0);
}

TEST(FileSystem, TellsWhatNeedsRoomFromOtherFailures) {
  for (const int code : {ENOSPC, EDQUOT, EFBIG}) EXPECT_TRUE(means_no_room(code)) << code;
  for (const int code : {0, EIO, ENOENT, EACCES}) EXPECT_FALSE(means_no_room(code)) << code;
}

TEST(FileSystem, ReportsAFileThatMayNotGrow) {
  TemporaryFolder folder;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(write_past_the_limit(folder.file("f")), testing::ExitedWithCode(0), "");
}

TEST(FileSystem, RenameReplacesAndRemoveForgives) {
  TemporaryFolder folder;
  std::ofstream(folder.file("a")) << "new";
  std::ofstream(folder.file("b")) << "old";
  EXPECT_TRUE(files().rename(folder.file("a"), folder.file("b")));
  EXPECT_EQ(content(folder.file("b")), "new");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  EXPECT_TRUE(files().remove(folder.file("b")));
  EXPECT_TRUE(files().remove(folder.file("b"))) << "there is nothing to remove, which is what was wanted";
  ASSERT_TRUE(files().make_folder(folder.file("c")));
  EXPECT_TRUE(files().remove(folder.file("c")));
  EXPECT_TRUE(files().sync_folder(folder.path()));
}

TEST(FileSystem, RemovesALinkAndNotWhatItLeadsTo) {
  TemporaryFolder folder;
  std::ofstream(folder.file("target")) << "x";
  ASSERT_EQ(::symlink("target", folder.file("link").c_str()), 0);
  EXPECT_TRUE(files().remove(folder.file("link")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("target")));
}

TEST(FileSystem, ListsNamesInOrder) {
  TemporaryFolder folder;
  for (const char *name : {"b", "a", ".hidden", "ä"}) std::ofstream(folder.file(name)) << "";
  const auto names = files().list(folder.path());
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{".hidden", "a", "b", "ä"}));
}

TEST(FileSystem, TellsFilesFoldersAndTheRestApart) {
  TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "12345";
  ASSERT_EQ(::symlink("file", folder.file("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const auto info = [&](const char *name) { return files().info(folder.file(name)); };
  ASSERT_TRUE(info("file") && *info("file"));
  EXPECT_EQ((*info("file"))->size, 5u);
  EXPECT_TRUE((*info("file"))->is_regular);
  EXPECT_FALSE((*info("file"))->is_folder);
  EXPECT_TRUE((*info("."))->is_folder);
  EXPECT_FALSE((*info("link"))->is_regular) << "a link is looked at itself";
  EXPECT_FALSE((*info("pipe"))->is_regular);
  EXPECT_TRUE(info("missing") && !*info("missing"));
  EXPECT_TRUE(info("file/x") && !*info("file/x"));
}

TEST(FileSystem, ReadsAtOnceAllOfItsTargetOrNothing) {
  TemporaryFolder folder;
  auto file = files().open(folder.file("f"), FileSystem::Mode::read_write);
  ASSERT_TRUE(file);
  std::vector<std::byte> bytes(10000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  ASSERT_TRUE((*file)->write_at(0, bytes));
  std::vector<std::byte> target(100);
  EXPECT_FALSE((*file)->read_at_once(9950, target)) << "the file ends before";
  EXPECT_FALSE((*file)->read_at_once(20000, target));
  // Data that was just written is reported as in memory, if the file system can tell.
  const bool tells = (*file)->read_at_once(0, target);
  if (tells) {
    EXPECT_TRUE(std::equal(target.begin(), target.end(), bytes.begin()));
  }
  EXPECT_EQ((*file)->read_at_once(5000, target), tells);
  if (tells) {
    EXPECT_TRUE(std::equal(target.begin(), target.end(), bytes.begin() + 5000));
  }
}

TEST(FileSystem, TouchMovesTheTimeToNow) {
  TemporaryFolder folder;
  std::ofstream(folder.file("f")) << "";
  std::filesystem::last_write_time(folder.file("f"),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  const auto modified = [&] { return (*files().info(folder.file("f")))->modified; };
  const auto now = std::chrono::system_clock::now();
  EXPECT_LT(modified(), now - std::chrono::hours(47));
  EXPECT_TRUE(files().touch(folder.file("f")));
  EXPECT_GT(modified(), now - std::chrono::minutes(1));
  EXPECT_LT(modified(), now + std::chrono::minutes(1));
}

TEST(ResolvedPath, FollowsLinksAlsoToWhatIsNotThereYet) {
  const TemporaryFolder folder;
  const std::string real = std::filesystem::canonical(folder.path()).string();
  std::filesystem::create_directory(real + "/shared");
  std::ofstream(real + "/shared/there") << "x";
  for (const char *name : {"there", "missing"}) {
    std::filesystem::create_symlink("shared/" + std::string(name), real + "/" + name);
    std::filesystem::create_symlink(real + "/" + name, real + "/to-" + name);
    EXPECT_EQ(resolved_path(real + "/to-" + name), real + "/shared/" + name);
  }
  std::filesystem::create_symlink("round", real + "/round");
  EXPECT_EQ(resolved_path(real + "/shared/../new"), real + "/new");
  EXPECT_EQ(resolved_path(real + "/round"), real + "/round");
  EXPECT_EQ(resolved_path(real + "/none/file"), real + "/none/file");
  EXPECT_EQ(resolved_path("/there-is-no-such-file"), "/there-is-no-such-file");
  EXPECT_EQ(resolved_path(real + "/shared/"), real + "/shared/") << "it names no file";
  EXPECT_EQ(resolved_path(real + "/to-there", real + "/there"), real + "/there") << "which is a link, too";
  EXPECT_EQ(resolved_path(real + "/to-there", "/elsewhere"), real + "/shared/there");
}

TEST(DestinationPath, FollowsTheLinksOfItsFoldersAlone) {
  const TemporaryFolder folder;
  const std::string real = std::filesystem::canonical(folder.path()).string();
  std::filesystem::create_directory(real + "/shared");
  std::filesystem::create_directory_symlink("shared", real + "/link");
  std::filesystem::create_symlink("shared/file", real + "/file");
  EXPECT_EQ(destination_path(real + "/link/new/file"), real + "/shared/new/file");
  EXPECT_EQ(destination_path(real + "/link/../file"), real + "/file");
  EXPECT_EQ(destination_path("new/file"), std::filesystem::canonical(".").string() + "/new/file");
  EXPECT_EQ(destination_path("new/"), std::filesystem::canonical(".").string() + "/new");
  EXPECT_EQ(destination_path("/"), "/");
}

}  // namespace
}  // namespace genclip
