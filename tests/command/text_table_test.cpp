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

TEST_F(TextTables, ARowWhoseWordsDoNotFitSideBySideIsAListAndTheOthersAreNot) {
  TextTable table({{"KEY", TextTable::Align::left, true}, {"TYPE"}, {"WHAT IT TAKES"}});
  table.add({"a", "text", "x"});
  table.add({"0123456789012345678901234", "", "characters, characters"}, {"below"});
  table.add({"0123456789012345678901234", "characters", "characters, characters"});
  table.add({"b", "", "x"});
  EXPECT_EQ(shown(table, "40"),
            "KEY  TYPE  WHAT IT TAKES\n"
            "a    text  x\n"
            "0123456789012345678901234\n"
            "  WHAT IT TAKES  characters, characters\n"
            "    below\n"
            "0123456789012345678901234\n"
            "  TYPE           characters\n"
            "  WHAT IT TAKES  characters, characters\n"
            "b          x\n");
}

TEST_F(TextTables, OfRowsThatFitAloneAndNotTogetherTheWiderOneIsAList) {
  TextTable table({{"A", TextTable::Align::left, true}, {"B", TextTable::Align::left, true}});
  table.add({std::string(35, 'a'), "b"});
  table.add({"a", std::string(30, 'b')});
  EXPECT_EQ(shown(table, "40"),
            "A  B\n" + std::string(35, 'a') + "\n  B  b\na  " + std::string(30, 'b') + "\n");
}

TEST_F(TextTables, ARowThatIsAListTakesNoWidthFromTheOthers) {
  TextTable table({{"A", TextTable::Align::left, true}, {"B", TextTable::Align::left, true}});
  table.add({std::string(10, 'a'), "b"});
  table.add({"a", std::string(30, 'b')});
  table.add({std::string(5, 'a'), std::string(27, 'b')});
  EXPECT_EQ(shown(table, "40"), "A           B\naaaaaaaaaa  b\na\n  B  " + std::string(30, 'b') +
                                    "\naaaaa       " + std::string(27, 'b') + "\n");
}

TEST_F(TextTables, WhereNoRowFitsThereIsNoHead) {
  TextTable table({{"A", TextTable::Align::left, true}, {"B"}});
  table.add({std::string(50, 'a'), "b"});
  EXPECT_EQ(shown(table, "40"), std::string(50, 'a') + "\n  B  b\n");
}

TEST_F(TextTables, TextsThatHaveTooFewColumnsStandBelowTheirRows) {
  const auto left = TextTable::Align::left;
  TextTable table({{"FIELD", left, true}, {"TYPE"}, {"ALLOWED", left, false, 24}});
  table.add({"reference_images", "image[]", "some words that do not fit in here at all"}, {"more"});
  table.add({"b", "c", ""});
  EXPECT_EQ(shown(table, "60"),
            "FIELD             TYPE     ALLOWED\n"
            "reference_images  image[]  some words that do not fit in\n"
            "                           here at all\n"
            "    more\n"
            "b                 c\n");
  EXPECT_EQ(shown(table, "50"),
            "FIELD             TYPE\n"
            "reference_images  image[]\n"
            "    some words that do not fit in here at all\n"
            "    more\n"
            "b                 c\n");
}

TEST_F(TextTables, AShortLastColumnStaysInItsTable) {
  TextTable table({{"FIELD"}, {"ALLOWED", TextTable::Align::left, false, 24}});
  table.add({"field", "4 to 15"});
  EXPECT_EQ(shown(table, "40"), "FIELD  ALLOWED\nfield  4 to 15\n");
}

TEST_F(TextTables, ProgramsGetALineARowWithTabs) {
  g_unsetenv("COLUMNS");
  TextTable table({{"KEY"}, {"TEXT", TextTable::Align::right, false, 24}, {"C"}});
  const std::string text = "words " + std::string(300, 'w') + " words";
  table.add({"a", text, "c"}, {"for people"});
  table.add({"b", "", ""});
  EXPECT_EQ(table.to_text(stream_), "KEY\tTEXT\tC\na\t" + text + "\tc\nb\t-\t-\n");
}

TEST(EntryText, HasATabForPrograms) {
  EXPECT_EQ(entry_text("Name", 6, "some words\nand more", kNoLimit), "Name\tsome words and more\n");
}

TEST(EntryText, MayHaveSeveralLines) {
  EXPECT_EQ(entry_text("Name", 6, "some\n\nwords", 40), "Name    some\n\n        words\n");
  EXPECT_EQ(entry_text("Name", 6, "\nwords\n", 40), "Name\n        words\n\n");
  EXPECT_EQ(entry_text("Name", 6, "", 40), "Name\n");
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
  EXPECT_THAT(wrapped("one   two  ", 3), ElementsAre("one", "two"));
}

TEST(Wrapped, BreaksTextsThatHaveNoBlanksAndNoMarkBeginsALine) {
  EXPECT_THAT(wrapped("一只红色的风筝", 8, LongWords::kept), ElementsAre("一只红色", "的风筝"));
  EXPECT_THAT(wrapped("一只红色，的风筝", 8, LongWords::kept), ElementsAre("一只红", "色，的风", "筝"));
  EXPECT_THAT(wrapped("一只红（色的风筝", 8, LongWords::kept), ElementsAre("一只红", "（色的风", "筝"));
  EXPECT_THAT(wrapped("a_long_name风筝b_long_name", 4, LongWords::kept),
              ElementsAre("a_long_name", "风筝", "b_long_name"));
  EXPECT_THAT(wrapped("👨‍👩‍👧 x", 4, LongWords::kept), ElementsAre("👨‍👩‍👧", "x"))
      << "a joiner keeps its characters";
}

TEST(Listed, BreaksBetweenItemsOnly) {
  EXPECT_THAT(listed({"used 3 min ago", "take 2", "task t-7"}, 24),
              ElementsAre("used 3 min ago, take 2,", "task t-7"));
  EXPECT_THAT(listed({"used 3 min ago", "take 2", "task t-7"}, 23),
              ElementsAre("used 3 min ago, take 2,", "task t-7"));
  EXPECT_THAT(listed({"used 3 min ago", "take 2", "task t-7"}, 22),
              ElementsAre("used 3 min ago,", "take 2, task t-7"));
  EXPECT_THAT(listed({"longer than the width", "x"}, 5), ElementsAre("longer than the width,", "x"));
  EXPECT_THAT(listed({}, 5), ElementsAre());
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
