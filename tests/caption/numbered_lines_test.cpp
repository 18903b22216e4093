// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/numbered_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(NumberedLines, MayBeNumberedInEveryUsualWay) {
  for (const char *text :
       {"[1] a\n[2] b\n[3] c", "1. a\n2. b\n3. c", "1) a\n2) b\n3) c", "(1) a\n(2) b\n(3) c",
        "1: a\n2: b\n3: c", "1| a\n2| b\n3| c", "**[1]** a\n**[2]** b\n**[3]** c",
        "- [1] a\n- [2] b\n- [3] c", "[3] c\n[1] a\n[2] b", "  [1]  a \r\n[2] b\r\n[3] c\r\n",
        "Here they are:\n[1] a\n\n[2] b\n\n[3] c\n\nGood luck!",
        "```text\n[1] a\n[2] b\n[3] c\n```\nGood luck!"})
    EXPECT_THAT(read_numbered_lines(text, 3), ElementsAre("a", "b", "c")) << text;
}

TEST(NumberedLines, MayGoOnInTheNextLine) {
  EXPECT_THAT(read_numbered_lines("[1] a\nb\n[2] c", 2), ElementsAre("a\nb", "c"));
  EXPECT_THAT(read_numbered_lines("[1]\na\n[2] c", 2), ElementsAre("a", "c"));
}

// Numbers of another kind belong to the text.
TEST(NumberedLines, MayHaveNumbersOfTheirOwn) {
  EXPECT_THAT(read_numbered_lines("[1] a\n2. Akt\n[2] 10:30 Uhr", 2), ElementsAre("a\n2. Akt", "10:30 Uhr"));
  EXPECT_THAT(read_numbered_lines("1. a\n1.5 Liter\n2. b", 2), ElementsAre("a\n1.5 Liter", "b"));
}

TEST(NumberedLines, ThatAreNotThoseAskedForAreNone) {
  for (const char *text :
       {"", "a\nb", "[1] a", "[1] a\n[1] b", "[1] a\n[2] b\n[3] c", "[1] a\n[3] b", "[0] a\n[1] b\n[2] c",
        "[1] a\n[99999999999999999999999] b", "[1] a\n[2] b\n[2] c"})
    EXPECT_THAT(read_numbered_lines(text, 2), ElementsAre("", "")) << text;
}

TEST(NumberedLines, LoseTheirNumbers) {
  EXPECT_EQ(without_number("2. b", 2), "b");
  EXPECT_EQ(without_number("2. Akt", 3), "2. Akt");
  EXPECT_EQ(without_number("b", 1), "b");
}

}  // namespace
}  // namespace genclip
