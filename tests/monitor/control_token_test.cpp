// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/control_token.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;

std::string line_of(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

size_t files_in(const TemporaryFolder &folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(ControlToken, Has128RandomBits) {
  std::set<std::string> tokens;
  for (int times = 0; times < 100; ++times) tokens.insert(new_control_token());
  EXPECT_EQ(tokens.size(), 100u);
  for (const std::string &token : tokens) {
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), token.npos) << token;
  }
}

TEST(TokenFile, IsForItsOwnerOnly) {
  const TemporaryFolder folder;
  const std::string path = folder.file("token");
  std::ofstream(path) << "an old one, which is longer than the new one is";
  fs::permissions(path, fs::perms::all);
  const mode_t mask = ::umask(0);
  const auto written = write_token_file(path, "abc");
  ::umask(mask);
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(line_of(path), "abc");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files_in(folder), 1u) << "no temporary file stays";
}

TEST(TokenFile, IsNoLink) {
  const TemporaryFolder folder;
  const std::string path = folder.file("token"), target = folder.file("target");
  std::ofstream(target) << "kept\n";
  fs::create_symlink(target, path);
  EXPECT_EQ(failure_of(write_token_file(path, "abc")).kind, ErrorKind::settings);
  EXPECT_EQ(line_of(target), "kept");
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(files_in(folder), 2u);
}

TEST(TokenFile, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  for (const std::string &path : {folder.path(), folder.file("missing/token")}) {
    const Error error = failure_of(write_token_file(path, "abc"));
    EXPECT_EQ(error.kind, ErrorKind::settings);
    EXPECT_NE(error.text.find(path), error.text.npos) << error.text;
    EXPECT_EQ(error.text.find("abc"), error.text.npos) << "no secret in a message";
  }
}

TEST(TokenFile, LeavesNothingBehindOnAFullDisk) {
  const TemporaryFolder folder;
  // A file may have two bytes, which is as good as a full disk.
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit two{2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &two), 0);
  const auto written = write_token_file(folder.file("token"), "abc");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, ignored);
  EXPECT_EQ(failure_of(written).kind, ErrorKind::settings);
  EXPECT_EQ(files_in(folder), 0u);
}

}  // namespace
}  // namespace genclip::test
