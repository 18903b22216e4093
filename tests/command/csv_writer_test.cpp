// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/csv_writer.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

TEST(Csv, ShowsTheMembersOfEachRowInTheOrderOfTheNames) {
  EXPECT_EQ(csv_of({"b", "a"},
                   {Json::Object{{"a", 1}, {"b", 2.5}, {"c", 3}}, Json::Object{{"b", true}, {"a", nullptr}}}),
            "b,a\r\n2.5,1\r\ntrue,\r\n");
  EXPECT_EQ(csv_of({"a", "b"}, {}), "a,b\r\n");
}

TEST(Csv, ACellHasQuotationMarksWhereItNeedsThem) {
  EXPECT_EQ(csv_of({"a", "b"}, {Json::Object{{"a", "1, 2"}, {"b", "say \"a\""}}}),
            "a,b\r\n\"1, 2\",\"say \"\"a\"\"\"\r\n");
  EXPECT_EQ(csv_of({"a", "b"}, {Json::Object{{"a", Json::Object{{"low", 1}}}}}),
            "a,b\r\n\"{\"\"low\"\":1}\",\r\n");
}

TEST(Csv, ATextIsOneLineAndSendsNoEscapeSequences) {
  EXPECT_EQ(csv_of({"a"}, {Json::Object{{"a", "two\n lines\033[2J"}}}), "a\r\ntwo lines [2J\r\n");
}

TEST(Csv, HoldsNoFormulas) {
  EXPECT_EQ(csv_of({"a", "b"}, {Json::Object{{"a", "=cmd|x"}, {"b", "@a"}},
                                Json::Object{{"a", "+1 dog"}, {"b", "-1.5"}}}),
            "a,b\r\n'=cmd|x,'@a\r\n'+1 dog,-1.5\r\n");
}

TEST(Csv, NumbersKeepAllTheirPlaces) {
  EXPECT_EQ(csv_of({"a", "b"}, {Json::Object{{"a", 0.123456789}, {"b", 12.0}}}), "a,b\r\n0.123456789,12\r\n");
}

}  // namespace
}  // namespace genclip
