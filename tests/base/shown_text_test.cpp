// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Foreign texts as printed on a terminal.
#include "plugin/base/shown_text.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

// Escape sequences of both sets of controls, ends of lines of all kinds, directions, and what cannot be seen.
constexpr const char *kMischief[] = {"\x1b",   "\n",     "\r",     "\t",     "\x7f",
                                     "\u0085", "\u009b", "\u2028", "\u2029", "\u202e",
                                     "\u2066", "\u200b", "\u00ad", "\ufeff", "\U000E0041"};

TEST(ShownText, HoldsNothingThatATerminalObeys) {
  for (const char *mischief : kMischief) {
    const std::string text = std::string("a") + mischief + "b";
    EXPECT_FALSE(is_all_shown(text)) << shown_line(text);
    EXPECT_EQ(shown_line(text), "a b");
  }
}

TEST(ShownText, KeepsWhatPeopleWrite) {
  for (const char *text :
       {"", "t-7", "Z\u00fcrich \u96ea", "\U0001F468\u200d\U0001F469", "\u0645\u06cc\u200c\u062e"}) {
    EXPECT_TRUE(is_all_shown(text)) << text;
    EXPECT_EQ(shown_line(text), text);
  }
}

TEST(ShownText, IsCutAtItsMostCharacters) {
  EXPECT_EQ(shown_line("abc", 3), "abc");
  EXPECT_EQ(shown_line("abcd", 3), "ab…");
  EXPECT_EQ(shown_line("äöü", 3), "äöü");
  EXPECT_EQ(shown_line("ab cd", 4), "ab…") << "no blank stands before the ellipsis";
  EXPECT_EQ(shown_line(std::string(100, 'a'), 3), "aa…");
  EXPECT_EQ(shown_line("\U0001F468\U0001F468\U0001F468\U0001F468", 3), "\U0001F468\U0001F468…");
  EXPECT_EQ(shown_line("\U0001F468\U0001F468\U0001F468", 3), "\U0001F468\U0001F468\U0001F468");
}

TEST(ShownText, IsUtf8WhateverTheBytesAre) {
  for (const std::string_view bytes :
       {std::string_view("a\xff"), std::string_view("\xe2\x82"), std::string_view("a\0b", 3)}) {
    EXPECT_FALSE(is_all_shown(bytes));
    EXPECT_TRUE(is_all_shown(shown_line(bytes)));
  }
}

TEST(ItSays, StandsBetweenSentences) {
  EXPECT_EQ(it_says(""), "");
  EXPECT_EQ(it_says("no credits"), " It says: no credits.");
  for (const char *whole : {"No.", "No!", "Why?", "No…", "\u4E0D\u3002"})
    EXPECT_EQ(it_says(whole), std::string(" It says: ") + whole);
}

}  // namespace
}  // namespace genclip::test
