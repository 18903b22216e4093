// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Files that may contain the key, and files that must not.
#include "plugin/http/api_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

constexpr char kKey[] = "sk-4711";

class ApiKeyFile : public testing::Test {
 protected:
  std::string write(const std::string &name, const std::string &text, mode_t mode = 0600) {
    std::ofstream(path(name), std::ios::binary) << text;
    EXPECT_EQ(::chmod(path(name).c_str(), mode), 0);
    return path(name);
  }
  std::string link(const std::string &name, const std::string &target) {
    EXPECT_EQ(::symlink(target.c_str(), path(name).c_str()), 0);
    return path(name);
  }
  std::string path(const std::string &name) const { return folder_.file(name); }

  // The key, or the reason for its absence.
  static std::string found(const std::string &file) {
    const auto key = find_api_key("", file);
    if (key) return *key;
    EXPECT_EQ(key.error().kind, ErrorKind::settings);
    EXPECT_EQ(key.error().text.find(kKey), std::string::npos) << key.error().text;
    return key.error().text;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ApiKeyFile, IsReadWithoutTheBlanksAroundTheKey) {
  EXPECT_EQ(found(write("key", kKey)), kKey);
  EXPECT_EQ(found(write("key", std::string("\n ") + kKey + "\r\n")), kKey);
  EXPECT_EQ(found(write("key", kKey, 0400)), kKey);
}

TEST_F(ApiKeyFile, MayBeALinkThroughLinksToTheFile) {
  write("..data-key", kKey, 0400);
  link("data", "..data-key");
  EXPECT_EQ(found(link("key", "data")), kKey);
}

TEST_F(ApiKeyFile, IsJudgedBehindItsLinks) {
  EXPECT_NE(found(link("key", write("open", kKey, 0640))).find("chmod 600"), std::string::npos);
}

TEST_F(ApiKeyFile, IsRefusedAtOnceWhenItIsNoFile) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkdir(path("folder").c_str(), 0700), 0);
  for (const std::string &file :
       {path("pipe"), path("folder"), link("to-pipe", "pipe"), link("to-folder", "folder"),
        std::string("/dev/null"), link("to-zero", "/dev/zero")})
    EXPECT_NE(found(file).find("is not a regular file"), std::string::npos) << file << ": " << found(file);
  for (const std::string &file : {path("missing"), link("dangling", "nowhere"), link("loop", "loop")})
    EXPECT_NE(found(file).find("cannot be read"), std::string::npos) << file << ": " << found(file);
}

TEST_F(ApiKeyFile, IsRefusedWhenItHoldsNoKey) {
  EXPECT_NE(found(write("key", " \n")).find("is empty"), std::string::npos);
  EXPECT_NE(found(write("key", std::string(kKey) + "\ntwo")).find("characters that are not allowed in a key"),
            std::string::npos);
  EXPECT_NE(found(write("key", std::string(kKey) + std::string("\0x", 2)))
                .find("characters that are not allowed in a key"),
            std::string::npos);
  EXPECT_NE(found(write("key", std::string(16 * 1024 + 1, 'k'))).find("larger than"), std::string::npos);
  EXPECT_EQ(found(write("key", std::string(16 * 1024, 'k'))).size(), 16u * 1024);
}

TEST(KeyInClear, IsWarnedOfWhereOthersCanReadIt) {
  for (const char *url : {"http://service.example/api", "http://10.0.0.7:8080", "http://[2001:db8::7]"})
    EXPECT_EQ(key_in_clear(url, "base-url").size(), 1u) << url;
  for (const char *url :
       {"https://service.example", "http://127.0.0.1:8080", "http://[::1]/x", "http://localhost", "nothing"})
    EXPECT_TRUE(key_in_clear(url, "base-url").empty()) << url;
}

}  // namespace
}  // namespace genclip
