// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tables for terminals of any width.
#include "plugin/command/text_table.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/command/console.h"

namespace genclip {
namespace {

using testing::ElementsAre;

// Not a terminal: $COLUMNS counts.
class TextTables : public testing::Test {
 protected:
  TextTables() : stream_(tmpfile()) {}
  ~TextTables() override {
    fclose(stream_);
    g_unsetenv("COLUMNS");
  }

  std::string shown(const TextTable &table, const char *columns) {
    g_setenv("COLUMNS", columns, TRUE);
    return table.to_text(stream_);
  }

  FILE *const stream_;
};

TEST_F(TextTables, ColumnsAreAsWideAsNeeded) {
  TextTable table({{"A"}, {"NUMBER", TextTable::Align::right}, {"C"}});
  table.add({"long cell", "7", "x"});
  table.add({"b", "1234567", ""});
  EXPECT_EQ(shown(table, "80"),
            "A           NUMBER  C\n"
            "long cell        7  x\n"
            "b          1234567\n");
}

TEST_F(TextTables, TheWidestColumnGivesWayAndFirmOnesDoNot) {
  TextTable table({{"KEY", TextTable::Align::left, true}, {"TEXT"}});
  table.add({"0123456789012345678901234", "some words that do not fit here"});
  EXPECT_EQ(shown(table, "40"),
            "KEY                        TEXT\n"
            "0123456789012345678901234  some words\n"
            "                           that do not\n"
            "                           fit here\n");
}

TEST_F(TextTables, WideCharactersCountTwice) {
  TextTable table({{"A"}, {"B"}});
  table.add({"风筝", "x"});
  table.add({"abcd", "y"});
  EXPECT_EQ(shown(table, "80"), "A     B\n风筝  x\nabcd  y\n");
}

TEST_F(TextTables, ALineBelowIsCut) {
  TextTable table({{"A"}});
  table.add({"x"}, std::string(100, 'p'));
  EXPECT_EQ(shown(table, "40"), "A\nx\n    " + std::string(35, 'p') + "…\n");
}

TEST_F(TextTables, NoHeadsAreNoLine) {
  TextTable table({{""}, {""}});
  table.add({"Key", "x"});
  EXPECT_EQ(shown(table, "80"), "Key  x\n");
}

TEST(Wrapped, BreaksAtBlanksElseAnywhereAndNeverInACharacter) {
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(wrapped("风筝风", 3), ElementsAre("风", "筝", "风"));
  EXPECT_THAT(wrapped("风", 1), ElementsAre("风"));
  EXPECT_THAT(wrapped("", 5), ElementsAre(""));
}

TEST(CutTo, NeverTakesMoreThanItsWidth) {
  EXPECT_EQ(cut_to("abc", 3), "abc");
  EXPECT_EQ(cut_to("abcd", 3), "ab…");
  EXPECT_EQ(cut_to("风筝风", 5), "风筝…");
  EXPECT_EQ(cut_to("风筝风", 4), "风…");
}

TEST(Printable, HasNoControlCharacterWhateverTheBytesAre) {
  EXPECT_EQ(printable("a\033[2Jb\nc\r\007"), "a [2Jb c  ");
  EXPECT_EQ(printable("kite 风筝"), "kite 风筝");
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "evil"),
            " evil")
      << "a right-to-left override";
  EXPECT_TRUE(g_utf8_validate(printable("\xff\xfe").c_str(), -1, nullptr));
}

}  // namespace
}  // namespace genclip
