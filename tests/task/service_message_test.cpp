// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What people get to read of what a service says, and what they must not.
#include "plugin/task/service_message.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <string>

#include "plugin/http/display_line.h"
#include "tests/support/time_limit.h"

namespace genclip {
namespace {

constexpr char kKey[] = "sk-Very+Secret/Key=";

std::string many(const std::string &part, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += part;
  return all;
}

TEST(ServiceMessage, IsFoundInEveryShapeOfABody) {
  const std::pair<std::string, std::string> rows[] = {
      {R"("No credits")", "No credits"},
      {R"({"message":"No credits"})", "No credits"},
      {R"({"code":402,"msg":"No credits","data":null})", "No credits"},
      {R"({"error":{"message":"No credits","type":"billing","param":null,"code":"x"}})", "No credits"},
      {R"({"error":"billing","message":"No credits"})", "No credits"},
      {R"({"error":"No credits"})", "No credits"},
      {R"([{"error":{"message":"No credits"}}])", "No credits"},
      {R"({"errors":["one",{"message":"two"},null,{}]})", "one; two"},
      {R"({"detail":[{"loc":["query","n"],"msg":"missing"}]})", "query.n: missing"},
      {R"({"message":"","detail":"No credits"})", "No credits"},
      {R"({"message":null,"title":"No credits"})", "No credits"},
      {R"({"message":"  No credits \n"})", "No credits"},
      {R"({"error":{"code":"no_credits"}})", "no_credits"},
      {R"({"code":1234})", "code 1234"},
      {R"({"code":0})", ""},
      {R"({"code":"0"})", ""},
      {"{}", ""},
      {"[]", ""},
      {"null", ""},
      {"true", ""},
      {R"({"error":{"message":"{\"error\":{\"message\":\"{\\\"msg\\\":\\\"No credits\\\"}\"}}"}})",
       "No credits"},
      {R"({"message":"{not JSON"})", "{not JSON"},
      {R"({"message":"{\"reason_of_its_own\":1}"})", R"({"reason_of_its_own":1})"},
      {"No credits", "No credits"},
      {"  No\r\n\r\n  credits\t ", "No credits"},
      {R"({"message":"No cre)", R"({"message":"No cre)"},
      {"", ""},
      {"\xEF\xBB\xBFNo credits", "No credits"},
      {"<html><head>\n<TITLE>502 Bad Gateway</TITLE></head><body>nginx</body></html>", "502 Bad Gateway"},
      {"\xEF\xBB\xBF\n<html><title lang=en>Sign\nin</title>", "Sign in"},
      {"<html><title></title><h1>x</h1>", ""},
      {"<html><title>never ends", ""},
      {"<html><body>no title", ""},
      {"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>", "Access Denied"},
      {std::string("\0\x01\x02", 3), "\xEF\xBF\xBD"},
  };
  for (const auto &[body, message] : rows) EXPECT_EQ(service_message_in(body), message) << body;
}

TEST(ServiceMessage, HoldsNoKeyAndNoSignedUrl) {
  const std::string secrets[] = {
      "Incorrect API key provided: sk-Very+Secret/Key=.",
      "Bearer sk-Very+Secret/Key= is refused",
      "Authorization: bearer  other-token-SECRET",
      "Cannot load https://cdn/x.mp4?Signature=SECRET&Expires=5",
      "Cannot load https://user:SECRET@cdn/x.mp4",
      R"(see "https:\/\/cdn\/x?sig=SECRET")",
      "path /x.mp4?token=SECRET",
  };
  for (const std::string &secret : secrets) {
    const auto quoted = Json(secret).to_text();
    for (const std::string &body : {secret, quoted, R"({"error":{"message":)" + quoted + "}}",
                                    R"({"message":)" + Json(R"({"msg":)" + quoted + "}").to_text() + "}",
                                    "<title>" + secret + "</title>"}) {
      const std::string shown = service_message_in(body, kKey);
      EXPECT_EQ(shown.find("SECRET"), std::string::npos) << body << " -> " << shown;
      EXPECT_EQ(shown.find("Very"), std::string::npos) << body << " -> " << shown;
      EXPECT_NE(shown.find("***"), std::string::npos) << body << " -> " << shown;
    }
  }
}

TEST(ServiceMessage, IsReadInEveryFormOfJson) {
  for (const char *body :
       {"event: error\ndata: {\"error\":{\"message\":\"no luck\"}}\n\ndata: {\"took\":1}\n",
        ")]}',\n{\"error\":\"no luck\"}", "{\"event\":1}\n{\"message\":\"no luck\"}\n"})
    EXPECT_EQ(service_message_in(body), "no luck") << body;
}

TEST(ServiceMessage, NeverShowsTheFrontOfAKeyThatTheCutGoesThrough) {
  for (size_t before = 470; before < 505; ++before) {
    const std::string text = std::string(before, 'x') + kKey + std::string(600, 'y');
    for (const std::string &body : {text, Json(text).to_text(), "<title>" + text + "</title>"})
      EXPECT_EQ(service_message_in(body, kKey).find("sk-"), std::string::npos) << before;
  }
}

TEST(ServiceMessage, IsCutAtCharactersNotBytes) {
  EXPECT_EQ(service_message(Json(many("語", 500))), many("語", 500));
  EXPECT_EQ(service_message(Json(many("語", 501))), many("語", 499) + "…");
  EXPECT_EQ(service_message_in(many("語", 5000)), many("語", 499) + "…");
  const std::string megabytes =
      service_message_in(R"({"errors":[)" + many(R"("aaaa",)", 100000) + R"("b"]})");
  EXPECT_EQ(megabytes.size(), 499 + std::string("…").size());
}

TEST(ServiceMessage, IsOneLineOfHarmlessCharacters) {
  EXPECT_EQ(service_message(Json("a\x01\x1b[31m\x7f\tb\u0085c\u2028d\u2029e")), "a [31m b c d e");
  EXPECT_EQ(service_message(Json("pay \u202etxt.exe\u202c \u2066now\u2069 \ufeffplease\u200b")),
            "pay txt.exe now please")
      << "direction marks can make a text say something else";
  EXPECT_EQ(service_message(Json("👩\u200d🚀 नमस्\u200dते")), "👩\u200d🚀 नमस्\u200dते")
      << "joiners are part of words";
}

TEST(ServiceMessage, IsValidTextWhateverBytesCome) {
  unsigned seed = 20260101;
  for (int round = 0; round < 3000; ++round) {
    std::string body;
    for (int i = 0; i < 40; ++i) {
      seed = seed * 1664525 + 1013904223;
      const std::string_view alphabet = "{}[]\"\\:,u0de<>ms/?=\xC3\xA9\xFF\x80\xF0\n ";
      body += alphabet[(seed >> 16) % alphabet.size()];
    }
    const std::string shown = service_message_in(body, kKey);
    ASSERT_TRUE(g_utf8_validate(shown.data(), static_cast<gssize>(shown.size()), nullptr)) << body;
    for (const char c : shown) ASSERT_FALSE(g_ascii_iscntrl(c)) << body;
  }
}

TEST(ServiceMessage, DoesNotFollowNestingForEver) {
  std::string message = "the end";
  for (int depth = 0; depth < 12; ++depth) message = Json(Json::Object{{"message", Json(message)}}).to_text();
  const std::string shown = service_message_in(message);
  EXPECT_LE(shown.size(), 600u);
  const std::string deep = many(R"({"error":)", 90) + R"("x")" + std::string(90, '}');
  EXPECT_EQ(service_message_in(deep), "");
}

// What is looked at twice a level is looked at 256 times at the eighth one.
TEST(ServiceMessage, IsLookedForOnceInEachMember) {
  const std::string text = Json("[" + many("0,", 200'000) + "0]").to_text();
  const std::string body = many(R"({"error":)", 8) + "[" + text + many("," + text, 2) + "]" + many("}", 8);
  std::string message = "none";
  test::expect_end([&] { message = service_message_in(body); });
  EXPECT_EQ(message, "");
}

TEST(ServiceMessage, OfAMemberWithSeveralNamesIsTheFirstThatTells) {
  EXPECT_EQ(service_message_in(R"({"error":"E7","err_info":"No credits"})"), "No credits");
  EXPECT_EQ(service_message_in(R"({"error":"E7","err_info":"E8"})"), "E7");
  EXPECT_EQ(service_message_in(R"({"error":{},"err_info":"E8"})"), "E8");
  EXPECT_EQ(service_message_in(R"({"error":{"error":{"error":"E7"}},"cause":{"reason":"No credits"}})"),
            "No credits");
}

TEST(DisplayLine, BoundsAndCleansAnyText) {
  EXPECT_EQ(display_line("abc", 3, ""), "abc");
  EXPECT_EQ(display_line("abcd", 3, ""), "ab…");
  EXPECT_EQ(display_line("abc \n", 3, ""), "abc") << "nothing that is shown is left out";
  EXPECT_EQ(display_line("ab cd", 4, ""), "ab…") << "no blank stands before the ellipsis";
  EXPECT_EQ(display_line("ab cd", 3, ""), "ab…");
  EXPECT_EQ(display_line("a b c", 5, ""), "a b c");
  EXPECT_EQ(display_line("", 3, ""), "");
  EXPECT_EQ(display_line(" \n\t ", 3, ""), "");
  EXPECT_EQ(display_line("a\xFF", 3, ""), "a\xEF\xBF\xBD");
  EXPECT_EQ(display_line("key key", 9, "key"), "*** ***");
}

}  // namespace
}  // namespace genclip
