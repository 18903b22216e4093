// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Numbers and the blanks around them.
#include "plugin/base/number.h"

#include <gtest/gtest.h>

#include <clocale>
#include <tuple>

#include "plugin/base/trimmed.h"

namespace genclip::test {
namespace {

TEST(Number, IsAllOfTheTextOrNothing) {
  EXPECT_EQ(parse_number<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<int64_t>("-7"), -7);
  EXPECT_EQ(parse_number<double>("2.5"), 2.5);
  EXPECT_EQ(parse_number<double>("1e3"), 1000);
  for (const char *text :
       {"", " 5", "5 ", "+5", "-5", "5x", "2e3", "0x5", "18446744073709551616", "200, 200"})
    EXPECT_FALSE(parse_number<uint64_t>(text)) << text;
  for (const char *text : {"", "inf", "-infinity", "nan", "1e999", "1,5", ".", "-", "+1", " 1", "e5", "0x5"})
    EXPECT_FALSE(parse_number<double>(text)) << text;
}

TEST(Number, IsTakenOffTheFrontOfAText) {
  std::string_view text = "4.5s";
  EXPECT_EQ(take_number<double>(text), 4.5);
  EXPECT_EQ(text, "s");
  EXPECT_FALSE(take_number<double>(text));
  EXPECT_EQ(text, "s");
  for (const auto &[whole, value, rest] :
       std::initializer_list<std::tuple<const char *, double, const char *>>{{"-.5x", -0.5, "x"},
                                                                             {"1.e2", 100, ""},
                                                                             {"2e", 2, "e"},
                                                                             {"2e+", 2, "e+"},
                                                                             {"3E-1e", 0.3, "e"},
                                                                             {"0x10", 0, "x10"},
                                                                             {"1.2.3", 1.2, ".3"}}) {
    text = whole;
    EXPECT_EQ(take_number<double>(text), value) << whole;
    EXPECT_EQ(text, rest) << whole;
  }
  text = "inf s";
  EXPECT_FALSE(take_number<double>(text));
  EXPECT_EQ(text, "inf s");
}

TEST(Number, IsWrittenTheSameInEveryLocale) {
  const std::string before = setlocale(LC_NUMERIC, nullptr);
  for (const char *name : {"C", "de_DE.UTF-8"}) {
    setlocale(LC_NUMERIC, name);
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(rounded_text(0.1, 4), "0.1");
    EXPECT_EQ(parse_number<double>("0.1"), 0.1);
  }
  setlocale(LC_NUMERIC, before.c_str());
}

TEST(Number, IsRoundedToItsDecimalsWithoutZerosAtTheEnd) {
  EXPECT_EQ(rounded_text(12, 4), "12");
  EXPECT_EQ(rounded_text(100, 0), "100");
  EXPECT_EQ(rounded_text(1.50001, 4), "1.5");
  EXPECT_EQ(rounded_text(1.23456, 4), "1.2346");
  EXPECT_EQ(rounded_text(-1e300, 9).size(), 302u);
}

TEST(Trimmed, HasNoBlankAtItsEnds) {
  EXPECT_EQ(trimmed(" \t\r\n\f\va b\n "), "a b");
  EXPECT_EQ(trimmed("ab"), "ab");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Trimmed, MayLoseTheFullStopThatMoreOfTheSentenceFollows) {
  EXPECT_EQ(without_full_stop("Check that it runs."), "Check that it runs");
  EXPECT_EQ(without_full_stop("no full stop"), "no full stop");
  EXPECT_EQ(without_full_stop(""), "");
}

TEST(Counted, IsOneOfOneAndMoreOfOtherNumbers) {
  EXPECT_EQ(counted(1, "request"), "1 request");
  EXPECT_EQ(counted(0, "request"), "0 requests");
  EXPECT_EQ(counted(int64_t{11}, "clip"), "11 clips");
  EXPECT_EQ(counted("1", "second"), "1 second");
  EXPECT_EQ(counted("1.5", "second"), "1.5 seconds");
  EXPECT_EQ(counted("1 to 15", "second"), "1 to 15 seconds");
}

}  // namespace
}  // namespace genclip::test
