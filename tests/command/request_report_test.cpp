// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The request that stands beside an error: it can be run again, and shows nothing secret.
#include "plugin/command/request_report.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/command/request_words.h"

namespace genclip::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Result<ClipRequest, WordsProblem> request_of(const Words &words) {
  return read_request(*Catalog::built_in(), words);
}

// As it is after a user has copied it.
Result<ClipRequest, WordsProblem> copied(const ClipRequest &request) {
  char **words = nullptr;
  const std::string line = request_words(request);
  Words list;
  if (g_shell_parse_argv(line.c_str(), nullptr, &words, nullptr))
    for (char **word = words; *word; ++word) list.emplace_back(*word);
  g_strfreev(words);
  return request_of(list);
}

TEST(RequestLine, OfAChainIsThatRequestAgain) {
  const std::string inner = "genclip://sd_2.0_special?prompt=a%20red%20kite%20%26%20" +
                            std::string(300, 'x') +
                            "&first_image=genclip%3A%2F%2Fdance-2.5%3Fprompt%3Da%2Bdune%23first#last";
  const auto request = request_of({"sd_2.0_special", "prompt=the sea", "take=2", "first_image=" + inner});
  ASSERT_TRUE(request);
  const auto again = copied(*request);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *request) << request_words(*request);
}

TEST(RequestLine, ShowsNoSignature) {
  const auto request = request_of(
      {"sd_2.0_special", "prompt=the sea", "last_image=https://media.example/2.png?sig=SECRET",
       "first_image=genclip://"
       "dance-2.5?prompt=x&images=https%3A%2F%2Fmedia.example%2F1.png%3Fsig%3DSECRET&duration=5#last"});
  ASSERT_TRUE(request);
  EXPECT_THAT(request_words(*request),
              AllOf(Not(HasSubstr("SECRET")), HasSubstr("dance-2.5?prompt=x&images="),
                    HasSubstr("media.example%2F1.png"), HasSubstr("&duration=5#last"),
                    HasSubstr("https://media.example/2.png")));
}

TEST(RequestLine, CutsALongPrompt) {
  const auto request = request_of({"dance-2.5", "prompt=" + std::string(5000, 'x')});
  ASSERT_TRUE(request);
  EXPECT_LT(request_words(*request).size(), 200u);
}

}  // namespace
}  // namespace genclip::test
