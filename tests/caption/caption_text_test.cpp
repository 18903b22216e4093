// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Text that a model or a file may send, and the resulting caption.
#include "plugin/caption/caption_text.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <random>

namespace genclip {
namespace {

using namespace std::string_literals;

TEST(CaptionText, IsWhatASubtitleCanTake) {
  const std::pair<std::string, std::string> kCases[] = {
      {"", ""},
      {"A kite.", "A kite."},
      {"  A kite. \n", "A kite."},
      {"One\n\n \t\nTwo", "One\nTwo"},
      {"One\r\nTwo\rThree", "One\nTwo\nThree"},
      {"One\xE2\x80\xA8Two\xE2\x80\xA9Three\xC2\x85"
       "Four",
       "One\nTwo\nThree\nFour"},
      {"a\0b"s, "ab"},
      {"\0"s, ""},
      {"a\0\n\0 \n"s, "a"},
      {"a\x01"
       "b\x7F"
       "c\td",
       "a b c d"},
      {"\xFF"
       "a",
       "\xEF\xBF\xBD"
       "a"},
      {"a\xC3", "a\xEF\xBF\xBD"},
      {"\xEF\xBB\xBF"
       "a",
       "a"},
      {"\xC2\xA0 \xE3\x80\x80"
       "a\xE3\x80\x80",
       "a"},
      {"\n\n", ""},
      {"0:05 --> 0:09", "0:05 → 0:09"},
      {"--->--> -- >", "-→→ -- >"},
      {"Ein Drachen über Dünen 風箏", "Ein Drachen über Dünen 風箏"},
  };
  for (const auto &[bytes, text] : kCases) EXPECT_EQ(caption_text(bytes), text) << bytes;
  EXPECT_EQ(caption_text({}), "");
  EXPECT_EQ(caption_text_of_markup("<i>a</i>\0"s), "a");
  EXPECT_EQ(first_seen("\0\0a"s), 2U);
  EXPECT_EQ(caption_text_of_markup({}), "");
}

// Of any bytes whatsoever.
TEST(CaptionText, IsAlwaysValidAndNeverHasABlankLine) {
  std::mt19937 random(5);
  const std::string kLikely =
      "\n\r \t\0\x01\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF"
      "ab-->"s;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (size_t size = random() % 24; size > 0; --size)
      bytes += random() % 3 ? kLikely[random() % kLikely.size()] : static_cast<char>(random());
    const std::string text = caption_text(bytes);
    ASSERT_TRUE(g_utf8_validate_len(text.data(), text.size(), nullptr)) << testing::PrintToString(bytes);
    ASSERT_EQ(text.find("\n\n"), std::string::npos) << testing::PrintToString(bytes);
    ASSERT_FALSE(text.starts_with('\n') || text.ends_with('\n')) << testing::PrintToString(bytes);
    ASSERT_EQ(text.find("-->"), std::string::npos) << testing::PrintToString(bytes);
    ASSERT_EQ(caption_text(text), text) << testing::PrintToString(bytes);
  }
}

TEST(CaptionTextOfMarkup, LosesTagsAndEntities) {
  EXPECT_EQ(caption_text_of_markup("<i>Rock &amp; <b>Roll</b></i>"), "Rock & Roll");
  EXPECT_EQ(caption_text_of_markup("<span foreground=\"red\">a</span>\n\nb &lt;3"), "a\nb <3");
}

TEST(CaptionTextOfMarkup, KeepsWhatIsNoMarkup) {
  EXPECT_EQ(caption_text_of_markup("Rock & Roll"), "Rock & Roll");
  EXPECT_EQ(caption_text_of_markup("a < b"), "a < b");
  EXPECT_EQ(caption_text_of_markup("</markup>"), "</markup>");
}

TEST(CharacterCount, CountsCodePoints) {
  EXPECT_EQ(character_count(""), 0u);
  EXPECT_EQ(character_count("Düne 風箏"), 7u);
}

}  // namespace
}  // namespace genclip
