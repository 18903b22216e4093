// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Files that may contain the key, files that must not, and keys that are renewed in their file.
#include "plugin/http/api_key.h"

#include <fcntl.h>
#include <glib.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <thread>
#include <utility>

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
    if (key) {
      EXPECT_EQ(key->file, file);
      return key->value;
    }
    EXPECT_EQ(key.error().kind, ErrorKind::settings);
    EXPECT_EQ(key.error().text.find(kKey), std::string::npos) << key.error().text;
    return key.error().text;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ApiKeyFile, IsReadWithoutTheBlanksAroundTheKey) {
  EXPECT_EQ(found(write("key", kKey)), kKey);
  EXPECT_EQ(found(write("key", std::string("\n ") + kKey + "\r\n")), kKey);
  EXPECT_EQ(found(write("key", "sk-0123456789abcdef\r\n")), "sk-0123456789abcdef");
  EXPECT_EQ(found(write("key", kKey, 0400)), kKey);
}

TEST_F(ApiKeyFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(found(write("key", "\xEF\xBB\xBFsk-0123456789abcdef\n")), "sk-0123456789abcdef");
  EXPECT_EQ(found(write("key", std::string("\xEF\xBB\xBF\r\n") + kKey + "\r\n")), kKey);
  EXPECT_NE(found(write("key", "\xEF\xBB\xBF")).find("is empty"), std::string::npos);
  EXPECT_NE(found(write("key", std::string("\xEF\xBB\xBF\xEF\xBB\xBF") + kKey)).find("not allowed in a key"),
            std::string::npos)
      << "a second mark belongs to no key";
}

TEST_F(ApiKeyFile, InUtf16IsToBeSavedAsPlainText) {
  for (const std::string &text : {std::string("\xFF\xFEs\0k\0-\0", 8), std::string("\xFE\xFF\0s\0k\0-", 8)})
    EXPECT_NE(found(write("key", text)).find("Save it as plain text (UTF-8)"), std::string::npos);
}

TEST_F(ApiKeyFile, ThatHoldsMoreThanTheKeyIsToldWhatItHolds) {
  const std::string key = kKey;
  const std::pair<std::string, std::string> kMistakes[] = {
      {"export API_KEY=sk-0123456789abcdef\n", "is a line for a shell"},
      {"\xEF\xBB\xBF"
       "export API_KEY=" +
           key,
       "is a line for a shell"},
      {"API_KEY=" + key, "is a line for a shell"},
      {"genclip_api=" + key, "is a line for a shell"},
      {"APIKEY=" + key, "is a line for a shell"},
      {"token=" + key + "==", "is a line for a shell"},
      {"export X=" + key, "is a line for a shell"},
      {"$env:API_KEY=\"" + key + "\"", "is a line for a shell"},
      {"$Env:API_KEY = '" + key + "'", "is a line for a shell"},
      {"'" + key + "'", "is in quotes"},
      {"`" + key + "`", "is in quotes"},
      {"\"" + key + "\"", "is in quotes"},
      {"Bearer " + key, "is a header"},
      {"bearer\t" + key, "is a header"},
      {"Authorization: Bearer " + key, "is a header"},
      {"authorization:" + key, "is a header"},
      {"API_KEY:" + key, "is a header"},
      {"api-key: " + key, "is a header"},
      {"token:" + key, "is a header"},
      {"{\"api_key\":\"" + key + "\"}", "is JSON"},
      {"[\"" + key + "\"]", "is JSON"},
      {"# The key of the studio\n" + key, "has several lines"},
      {key + "\r" + key, "has several lines"},
      {"{\n\"api_key\": \"" + key + "\"\n}\n", "has several lines"},
      {"my key " + key, "not allowed in a key"},
  };
  for (const auto &[text, mistake] : kMistakes) {
    const std::string said = found(write("key", text));
    EXPECT_NE(said.find(mistake), std::string::npos) << text << ": " << said;
    EXPECT_NE(said.find("Put the key alone there, on one line"), std::string::npos) << said;
    for (const char *part : {"4711", "0123", "cdef", "sk-"})
      EXPECT_EQ(said.find(part), std::string::npos) << said;
  }
}

// An account of some service and its secret, base64 of either alphabet with its padding, a JWT, hexadecimal.
TEST_F(ApiKeyFile, MayHoldTheKeyOfAnyService) {
  for (const char *key : {"id:secret",
                          "user_4711:secret",
                          "b2f0-key1:00ff",
                          "key:",
                          ":key",
                          "$2b$10:a",
                          "`",
                          "a=b",
                          "id=4711",
                          "a1b2+/c3==",
                          "ab_c-d==",
                          "API_KEY==",
                          "MONKEY=",
                          "_=",
                          "9_a=b",
                          "user.name_x=b",
                          "eyJhbGciOi.eyJzdWIi.sig-_",
                          "00ff00ff",
                          "sk-ant-api03-x_y",
                          "AKIA/secret+key",
                          "Bearer",
                          "exports",
                          "{not-json",
                          "\"",
                          "'a",
                          "bearer-4711",
                          "key@host#1!"})
    EXPECT_EQ(found(write("key", key)), key);
}

TEST_F(ApiKeyFile, MayBeNamedByTheEnvironment) {
  g_unsetenv(kApiKeyVariable);
  g_setenv(kApiKeyFileVariable, write("key", kKey).c_str(), TRUE);
  const auto key = find_api_key("", "");
  g_unsetenv(kApiKeyFileVariable);
  ASSERT_TRUE(key) << key.error().text;
  EXPECT_EQ(key->value, kKey);
  EXPECT_EQ(key->file, path("key"));
}

TEST(ApiKey, ThatIsInNoFileHasNone) {
  const auto key = find_api_key("sk-4711", "/nowhere");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->value, "sk-4711");
  EXPECT_EQ(key->file, "");
}

TEST(ApiKey, ThatIsSetByAPropertyIsToldItsMistakeToo) {
  const auto key = find_api_key("Bearer sk-4711", "");
  ASSERT_FALSE(key);
  EXPECT_EQ(
      key.error().text,
      "The API key in api-key is a header. Put the key alone there, on one line, without a name or quotes.");
}

Error refused(unsigned status = 401) {
  Error error{ErrorKind::not_authorized, "Refused."};
  error.http_status = status;
  return error;
}

TEST_F(ApiKeyFile, IsReadAgainAsOftenAsItsKeyIsRefused) {
  ApiKey key = *find_api_key("", write("key", "sk-1"));
  for (const char *next : {"sk-2", "sk-3", "sk-1"}) {
    Error refusal = refused();
    write("key", next);
    EXPECT_TRUE(renew(key, refusal));
    EXPECT_EQ(key.value, next);
    EXPECT_EQ(key.file, path("key"));
    EXPECT_FALSE(renew(key, refusal)) << "it is the same by now";
    EXPECT_EQ(refusal.text, "Refused.");
    EXPECT_EQ(key.value, next);
    EXPECT_NE(refusal.debug.find("has not changed"), std::string::npos) << refusal.debug;
  }
}

// M15
TEST_F(ApiKeyFile, IsReadAgainWhereItWasRead) {
  const std::string first = write("key", "sk-1");
  std::optional<ApiKey> key;
  {
    const test::CurrentFolder current(std::filesystem::path(first).parent_path());
    key = *find_api_key("", "key");
  }
  write("key", "sk-2");
  Error refusal = refused();
  EXPECT_TRUE(renew(*key, refusal)) << refusal.debug;
  EXPECT_EQ(key->value, "sk-2");
}

TEST_F(ApiKeyFile, IsReadAgainOnlyAfterA401) {
  ApiKey key = *find_api_key("", write("key", "sk-1"));
  write("key", "sk-2");
  for (const unsigned status : {0u, 400u, 402u, 403u, 407u, 429u, 500u}) {
    Error other = refused(status);
    EXPECT_FALSE(renew(key, other)) << status;
    EXPECT_EQ(other.debug, "");
  }
  EXPECT_EQ(key.value, "sk-1");
}

TEST_F(ApiKeyFile, ThatHasNoKeyForAMomentLeavesTheOldOne) {
  ApiKey key = *find_api_key("", write("key", "sk-1"));
  const auto expect_none = [&](const char *why) {
    Error refusal = refused();
    refusal.debug = "request 7";
    EXPECT_FALSE(renew(key, refusal));
    EXPECT_EQ(key.value, "sk-1");
    EXPECT_TRUE(refusal.text.starts_with("Refused. No new key was found: ")) << refusal.text;
    EXPECT_NE(refusal.text.find(why), std::string::npos) << refusal.text;
    EXPECT_TRUE(refusal.debug.starts_with("request 7; ")) << refusal.debug;
    EXPECT_NE(refusal.debug.find(why), std::string::npos) << refusal.debug;
  };
  write("key", "");
  expect_none("is empty");
  write("key", "export KEY=sk-2");
  expect_none("is a line for a shell");
  ::unlink(path("key").c_str());
  expect_none("cannot be read");
}

TEST(ApiKey, OfNoFileIsNotRenewed) {
  ApiKey key{"sk-1"};
  Error refusal = refused();
  EXPECT_FALSE(renew(key, refusal));
  EXPECT_EQ(refusal.debug, "");
}

TEST_F(ApiKeyFile, MayBeALinkThroughLinksToTheFile) {
  write("..data-key", kKey, 0400);
  link("data", "..data-key");
  EXPECT_EQ(found(link("key", "data")), kKey);
}

TEST_F(ApiKeyFile, ThatOthersCanReadIsTakenWithAWarning) {
  for (const mode_t mode : {0644u, 0444u, 0440u, 0640u, 0666u, 0610u}) {
    const std::string file =
        link("key" + std::to_string(mode), write("data" + std::to_string(mode), kKey, mode));
    const auto key = find_api_key("", file);
    ASSERT_TRUE(key) << key.error().text;
    EXPECT_EQ(key->value, kKey);
    const auto warnings = warnings_of(*key, "https://service.example", "base-url");
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("chmod 600"), std::string::npos) << warnings[0];
    EXPECT_EQ(warnings[0].find(kKey), std::string::npos);
  }
  for (const mode_t mode : {0600u, 0400u}) EXPECT_EQ(find_api_key("", write("own", kKey, mode))->warning, "");
}

TEST_F(ApiKeyFile, ThatIsReplacedByOneThatOthersCanReadIsRead) {
  ApiKey key = *find_api_key("", write("key", "sk-1"));
  std::filesystem::rename(write("next", "sk-2", 0644), path("key"));
  Error refusal = refused();
  EXPECT_TRUE(renew(key, refusal)) << refusal.text;
  EXPECT_EQ(key.value, "sk-2");
}

TEST_F(ApiKeyFile, MayBeAPipeOfACommand) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int end = ::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(end, 0);
  ASSERT_EQ(::write(end, "sk-4711\n", 8), 8);
  // Without a reader, what was written would be gone with its writer.
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  let_keys_come_from_pipes(true);
  // The end of a pipe is that of its last writer.
  std::thread writer([end] { ::close(end); });
  EXPECT_EQ(found(path("pipe")), kKey);
  writer.join();
  ::close(reader);
  EXPECT_EQ(found(path("pipe")), kKey) << "a pipe can be read once";
  ApiKey key = *find_api_key("", path("pipe"));
  Error refusal = refused();
  EXPECT_FALSE(renew(key, refusal));
  EXPECT_NE(refusal.debug.find("has not changed"), std::string::npos) << refusal.debug;
  let_keys_come_from_pipes(false);
}

// As that of <(…) mostly is.
TEST_F(ApiKeyFile, MayBeAPipeWhoseCommandHasEnded) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int end = ::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_EQ(::write(end, "sk-4711\n", 8), 8);
  ::close(end);
  let_keys_come_from_pipes(true);
  EXPECT_EQ(found(path("pipe")), kKey);
  let_keys_come_from_pipes(false);
  ::close(reader);
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
  EXPECT_NE(found(write("key", std::string(kKey) + " two")).find("characters that are not allowed in a key"),
            std::string::npos);
  EXPECT_NE(found(write("key", std::string(kKey) + std::string("\0x", 2)))
                .find("characters that are not allowed in a key"),
            std::string::npos);
  EXPECT_NE(found(write("key", std::string(16 * 1024 + 1, 'k'))).find("larger than"), std::string::npos);
  EXPECT_EQ(found(write("key", std::string(16 * 1024, 'k'))).size(), 16u * 1024);
}

TEST(KeyInClear, IsWarnedOfWhereOthersCanReadIt) {
  for (const char *url : {"http://service.example/api", "http://10.0.0.7:8080", "http://[2001:db8::7]"})
    EXPECT_EQ(warnings_of({kKey}, url, "base-url").size(), 1u) << url;
  for (const char *url :
       {"https://service.example", "http://127.0.0.1:8080", "http://[::1]/x", "http://localhost", "nothing"})
    EXPECT_TRUE(warnings_of({kKey}, url, "base-url").empty()) << url;
}

}  // namespace
}  // namespace genclip
