// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Redaction of URLs and texts for people and logs.
#include "plugin/http/redaction.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/seed.h"

namespace genclip {
namespace {

struct Row {
  const char *input;
  const char *output;
};

TEST(Redaction, KeepsOfAUrlWhatNamesThePlaceOnly) {
  constexpr Row kRows[] = {
      {"https://cdn.example/a/b.mp4", "https://cdn.example/a/b.mp4"},
      {"https://cdn.example/a/b.mp4?sig=SECRET&x=1", "https://cdn.example/a/b.mp4?***"},
      {"https://cdn.example/a#SECRET", "https://cdn.example/a#***"},
      {"https://cdn.example/b.mp4;x=1;sig=SECRET;y", "https://cdn.example/b.mp4;x=1;sig=***;y"},
      {"https://cdn.example/a?SECRET#SECRET", "https://cdn.example/a?***"},
      {"https://user:SECRET@cdn.example:8443/a", "https://***@cdn.example:8443/a"},
      {"https://user:SEC@RET@cdn.example/a", "https://***@cdn.example/a"},
      {"http://[::1]:80/a?SECRET", "http://[::1]:80/a?***"},
      {"user:SECRET@cdn.example/a?SECRET", "***@cdn.example/a?***"},
      {"data:image/png;base64,SECRET", "data:***"},
      {"DATA:SECRET", "DATA:***"},
      {"javascript:SECRET", "javascript:***"},
      {"localhost:8080/v2?SECRET", "localhost:8080/v2?***"},
      {"", ""},
      {"?SECRET", "?***"},
      {"https://", "https://"},
      {"http://host/a\nb\x01"
       "c",
       "http://host/a?b?c"},
      {"http://host/\xff\xfe?SECRET", "http://host/???***"},
      {"http://host/\u009b31m\u202e\u00e9", "http://host/?31m?\u00e9"},
      {"http://user:SECRET@", "http://***@"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_url(row.input), row.output) << row.input;
}

TEST(Redaction, KeepsOfAPathNothing) {
  constexpr Row kRows[] = {
      {"https://cdn.example/SECRET/b.mp4?SECRET", "https://cdn.example/***"},
      {"gopher://cdn.example:70/SECRET", "gopher://cdn.example:70/***"},
      {"http://user:SECRET@cdn.example:99999/SECRET", "http://***@cdn.example:99999/***"},
      {"https://cdn.example", "https://cdn.example"},
      {"https://cdn.example?SECRET", "https://cdn.example/***"},
      {"data:SECRET", "data:***"},
      {"/SECRET/b.mp4", "***"},
      {"SECRET", "***"},
      {"localhost:80/SECRET", "***"},
      {"user:SECRET@host/SECRET", "***"},
      {"", "***"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_path(row.input), row.output) << row.input;
}

TEST(Redaction, TakesTokensOutOfPaths) {
  EXPECT_EQ(redact_tokens("https://h/hdnts=TOKEN~acl/a=/1.mp4?x=1"), "https://h/hdnts=***/a=***/1.mp4?***");
  EXPECT_EQ(redact_tokens("https://u:p@h/b=c=d"), "https://***@h/b=***");
  EXPECT_EQ(redact_tokens("https://h/1.mp4"), "https://h/1.mp4");
  EXPECT_EQ(redact_tokens(""), "");
}

TEST(Redaction, TakesTheValuesOfAUrlOutOfTexts) {
  const std::string url = "https://h/p?sig=SECRET%2FSECRET&n=5&Key=ABCDEFGH#t=1";
  EXPECT_EQ(redact_values_of("got SECRET/SECRET or SECRET%2FSECRET, ABCDEFGH, 5", url),
            "got *** or ***, ***, 5");
  EXPECT_EQ(redact_values_of("got p", "https://h/p"), "got p");
  EXPECT_EQ(redact_values_of("", "https://h/p?"), "");
}

TEST(Redaction, TakesKeysAndSignaturesOutOfTexts) {
  constexpr Row kRows[] = {
      {"Nothing to hide.", "Nothing to hide."},
      {"Really? Yes.", "Really? Yes."},
      {"bad key K-1234 here, K-1234!", "bad key *** here, ***!"},
      {"Authorization: Bearer abc.def", "Authorization: Bearer ***"},
      {"missing bearer token: sk-secret", "missing bearer token: ***"},
      {"{\"h\":\"bearer  abc\",\"x\":1}", "{\"h\":\"bearer  ***\",\"x\":1}"},
      {"get https://h/p?sig=SECRET&a=b now", "get https://h/p?*** now"},
      {"\"url\":\"https:\\/\\/h\\/p?sig=SECRET\",\"n\":1", "\"url\":\"https:\\/\\/h\\/p?***\",\"n\":1"},
      {"see <https://u:SECRET@h/p>", "see <https://***@h/p>"},
      {"https://h/p#SECRET", "https://h/p#***"},
      {"path/file.mp4?Signature=SECRET", "path/file.mp4?***"},
      {"refused: clip.mp4;sig=SECRET;x=1", "refused: clip.mp4;sig=***;x=1"},
      {"X-Amz-Signature=SECRET&Expires=1, really", "X-Amz-Signature=***&Expires=1, really"},
      {"a token=SECRET, key=, monkeys=3", "a token=***, key=, monkeys=3"},
      {"X-Amz-Credential=SECRET; secret=SECRET, password=SECRET",
       "X-Amz-Credential=***; secret=***, password=***"},
      {"two\nhttps://h?SECRET\nlines", "two\nhttps://h?***\nlines"},
  };
  for (const Row &row : kRows) EXPECT_EQ(redact_text(row.input, "K-1234"), row.output) << row.input;
}

TEST(Redaction, TakesAKeyOutHoweverItIsEscaped) {
  for (const char *text :
       {"the key K/1+2= is bad", "the key K%2F1%2B2%3D is bad", "the key K%2f1%2b2%3d is bad"})
    EXPECT_EQ(redact_text(text, "K/1+2="), "the key *** is bad") << text;
}

TEST(Redaction, SurvivesAnyBytesAndNeverLetsASecretThrough) {
  const unsigned seed = test::test_seed();
  std::mt19937 random(seed);
  constexpr std::string_view kPieces[] = {"https://", "?",  "#",       "@",    ":",      "/", "\\/",
                                          " ",        "\"", "Bearer ", "\xff", "\n",     "é", "%",
                                          "=",        "&",  "a",       ".",    ":\\/\\/"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto i = random() % 12; i > 0; --i) text += kPieces[random() % std::size(kPieces)];
    const std::string url = redact_url("https://h/" + text + "?q=SECRET" + text);
    EXPECT_EQ(url.find("SECRET"), url.npos) << "seed " << seed << ": " << text;
    EXPECT_TRUE(g_utf8_validate(url.c_str(), -1, nullptr)) << "seed " << seed << ": " << text;
    const std::string said = redact_text(text + "SECRET" + text + " https://h/p?q=MARKED" + text, "SECRET");
    EXPECT_EQ(said.find("SECRET"), said.npos) << "seed " << seed << ": " << text;
    EXPECT_EQ(said.find("MARKED"), said.npos) << "seed " << seed << ": " << text;
  }
}

}  // namespace
}  // namespace genclip
