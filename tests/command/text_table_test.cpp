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

TEST_F(TextTables, LinesBelowAreBrokenBetweenWordsOnly) {
  TextTable table({{"A"}});
  table.add({"x"}, {"some words that do not fit in here at all", std::string(50, 'n') + " and more"});
  EXPECT_EQ(shown(table, "40"), "A\nx\n    some words that do not fit in here\n    at all\n    " +
                                    std::string(50, 'n') + "\n    and more\n");
}

TEST_F(TextTables, WhereWordsDoNotFitSideBySideEachRowIsAList) {
  TextTable table({{"KEY", TextTable::Align::left, true}, {"TYPE"}, {"WHAT IT TAKES"}});
  table.add({"0123456789012345678901234", "characters", "characters, characters"});
  table.add({"b", "", "x"});
  EXPECT_EQ(shown(table, "40"),
            "0123456789012345678901234\n"
            "  TYPE           characters\n"
            "  WHAT IT TAKES  characters, characters\n"
            "b\n"
            "  WHAT IT TAKES  x\n");
}

TEST_F(TextTables, InAPipeNothingIsBroken) {
  g_unsetenv("COLUMNS");
  TextTable table({{"KEY"}, {"TEXT"}});
  const std::string text = "words " + std::string(300, 'w') + " words";
  table.add({"a", text}, {text});
  EXPECT_EQ(table.to_text(stream_), "KEY  TEXT\na    " + text + "\n    " + text + "\n");
}

TEST(EntryText, StandsBesideItsNameAndIsBrokenBetweenWords) {
  EXPECT_EQ(entry_text("Name", 6, "some words", 40), "Name    some words\n");
  EXPECT_EQ(entry_text("Name", 6, "some words that do not fit here", 24),
            "Name    some words that\n        do not fit here\n");
  EXPECT_EQ(entry_text("Seconds used", 12, std::string(50, 'x'), 40),
            "Seconds used  " + std::string(50, 'x') + "\n")
      << "a path is copied as it is";
}

TEST(Wrapped, BreaksAtBlanksElseAnywhereAndNeverInACharacter) {
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(wrapped("风筝风", 3), ElementsAre("风", "筝", "风"));
  EXPECT_THAT(wrapped("风", 1), ElementsAre("风"));
  EXPECT_THAT(wrapped("", 5), ElementsAre(""));
  EXPECT_THAT(wrapped("a longer_name b", 4, LongWords::kept), ElementsAre("a", "longer_name", "b"));
  EXPECT_THAT(wrapped("longer_name", 4, LongWords::kept), ElementsAre("longer_name"));
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
