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

// Each answer that is not understood is paid for twice.
TEST(NumberedLines, MayBeNumberedAsInAnyLanguage) {
  for (const char *text :
       {"[1]\u4f60\u597d\n[2]b", "(1)\u4f60\u597d\n(2)b", "\uff3b1\uff3d\u4f60\u597d\n\uff3b2\uff3db",
        "\uff081\uff09\u4f60\u597d\n\uff082\uff09b", "\u30101\u3011\u4f60\u597d\n\u30102\u3011b",
        "[\uff11]\u3000\u4f60\u597d\n[\uff12]\u3000b", "1\u3001\u4f60\u597d\n2\u3001b",
        "1.\u4f60\u597d\n2. b", "1\uff0e\u4f60\u597d\n2\uff0eb", "1)\u4f60\u597d\n2) b",
        "1\uff09\u4f60\u597d\n2\uff09b", "1:\u4f60\u597d\n2: b", "1\uff1a\u4f60\u597d\n2\uff1ab",
        "1|\u4f60\u597d\n2| b", "[\u0661] \u4f60\u597d\n[\u0662] b",
        "\u200f[\u0661]\u200f \u4f60\u597d\n\u202b[2] b", "\u2067\u0661. \u4f60\u597d\n\u200e\u0662. b",
        "**1\u3001**\u4f60\u597d\n**2\u3001**b"})
    EXPECT_THAT(read_numbered_lines(text, 2), ElementsAre("\u4f60\u597d", "b")) << text;
  EXPECT_THAT(read_numbered_lines("[1]\u200fa\n[2] \u200fb", 2), ElementsAre("a", "\u200fb"));
  EXPECT_THAT(read_numbered_lines("\u2067[1]\u2069 a\n\u2068[2]\u2069 b", 2), ElementsAre("a", "b"));
  EXPECT_THAT(read_numbered_lines("\u20671.\u2069 a\n\u202b2.\u202c b", 2), ElementsAre("a", "b"));
}

TEST(NumberedLines, MayGoOnInTheNextLine) {
  EXPECT_THAT(read_numbered_lines("[1] a\nb\n[2] c", 2), ElementsAre("a\nb", "c"));
  EXPECT_THAT(read_numbered_lines("[1]\na\n[2] c", 2), ElementsAre("a", "c"));
}

// Behind the last number nobody knows which of both it is.
TEST(NumberedLines, MayGoOnBehindABlankLineThatIsNotTheLast) {
  EXPECT_THAT(read_numbered_lines("[1] - A\n\n- B\n \n- C\n[2] c\n\nGood luck!", 2),
              ElementsAre("- A\n- B\n- C", "c"));
  EXPECT_THAT(read_numbered_lines("Here:\n\n[2]\n\n- A\n\n\n[1] b", 2), ElementsAre("b", "- A"));
  EXPECT_THAT(read_numbered_lines("```\n[1] a\n\nb\n```\nThe second:\n```\n[2] c\n```", 2),
              ElementsAre("a", "c"));
  EXPECT_THAT(read_numbered_lines("[1] a\n[2]\n\nLet me know if you need more.", 2), ElementsAre("a", ""));
  EXPECT_THAT(read_numbered_lines("[1]\n\n# Happy day #\n\n[2]\n\n#MeToo\n\n[3] a\n\n#MeToo\n[4]", 4),
              ElementsAre("# Happy day #", "#MeToo", "a\n#MeToo", ""));
  EXPECT_THAT(read_numbered_lines("[1]\n\na\n\n[2]\n\nc", 2), ElementsAre("a", "c"))
      << "it has no other text";
}

TEST(NumberedLines, MayHaveRulesAndHeadingsBetweenThem) {
  EXPECT_THAT(
      read_numbered_lines("[1] a\n\n---\n\n[2] b\n\n* * *\n## Scene 2\n\n[3] - c\n\n- d\n---\n[4] e", 4),
      ElementsAre("a", "b", "- c\n- d", "e"));
}

// Numbers of another kind belong to the text.
TEST(NumberedLines, MayHaveNumbersOfTheirOwn) {
  EXPECT_THAT(read_numbered_lines("[1] a\n2. Akt\n[2] 10:30 Uhr", 2), ElementsAre("a\n2. Akt", "10:30 Uhr"));
  EXPECT_THAT(read_numbered_lines("1. a\n1.5 Liter\n2. b", 2), ElementsAre("a\n1.5 Liter", "b"));
  EXPECT_THAT(read_numbered_lines("1. a\n1.FC\n2. b", 2), ElementsAre("a\n1.FC", "b"));
  EXPECT_THAT(read_numbered_lines("1\u3001a\n2\u30013\u4eba\n2\u3001b", 2),
              ElementsAre("a\n2\u30013\u4eba", "b"));
  EXPECT_THAT(read_numbered_lines("1\uff1aa\n10\uff1a30\n\uff11\uff1a\uff13\uff10\n2\uff1ab", 2),
              ElementsAre("a\n10\uff1a30\n\uff11\uff1a\uff13\uff10", "b"));
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
  EXPECT_EQ(without_number("\u30102\u3011b", 2), "b");
  for (const char *text : {"", "[", "[2", "2", "[2)", "\xff[2]", "[2\xff]"})
    EXPECT_EQ(without_number(text, 2), text);
}

}  // namespace
}  // namespace genclip
