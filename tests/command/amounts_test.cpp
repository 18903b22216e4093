// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Numbers as people read and write them.
#include "plugin/command/amounts.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

TEST(Amounts, SizesHaveTwoOrThreeDigitsAndNeverFour) {
  const std::pair<uint64_t, const char *> cases[] = {{0, "0 B"},
                                                     {999, "999 B"},
                                                     {1000, "1.0 kB"},
                                                     {9949, "9.9 kB"},
                                                     {9950, "10 kB"},
                                                     {999499, "999 kB"},
                                                     {999500, "1.0 MB"},
                                                     {1500000, "1.5 MB"},
                                                     {12345678, "12 MB"},
                                                     {999500000, "1.0 GB"},
                                                     {uint64_t{5} << 40, "5.5 TB"}};
  for (const auto &[bytes, text] : cases) EXPECT_EQ(size_text(bytes), text) << bytes;
}

TEST(Amounts, SizesAreReadWithAndWithoutUnits) {
  const std::pair<const char *, uint64_t> cases[] = {{"0", 0},
                                                     {"1000", 1000},
                                                     {"1k", 1000},
                                                     {"1K", 1000},
                                                     {"1 kB", 1000},
                                                     {"1Ki", 1024},
                                                     {"1KiB", 1024},
                                                     {"1.5G", 1500000000},
                                                     {"2Gi", 2ull << 30},
                                                     {"500 MB", 500000000},
                                                     {"0.5T", 500000000000},
                                                     {"12b", 12}};
  for (const auto &[text, bytes] : cases) EXPECT_EQ(bytes_of(text), bytes) << text;
}

TEST(Amounts, WhatIsNoSizeIsRefused) {
  for (const char *text : {"", " ", "-1", "+1", "1e9", "nan", "inf", "G", "Gi", "i", "1X", "1GG", "1 2",
                           "1  G", "0x10", "99999999T", "1,5G", "1i"})
    EXPECT_EQ(bytes_of(text), std::nullopt) << text;
}

TEST(Amounts, WhatIsShownCanBeGivenBack) {
  for (const uint64_t bytes : {0ull, 17ull, 1000ull, 123456ull, 987654321ull, 5ull << 40}) {
    const auto back = bytes_of(size_text(bytes));
    ASSERT_TRUE(back) << bytes;
    EXPECT_NEAR(static_cast<double>(*back), static_cast<double>(bytes), static_cast<double>(bytes) * 0.06);
  }
}

TEST(Amounts, AgesHaveOneUnit) {
  const std::pair<int64_t, const char *> cases[] = {{-5, "0 s"},       {59, "59 s"},  {60, "1 min"},
                                                    {3599, "59 min"},  {7200, "2 h"}, {86400, "1 day"},
                                                    {200000, "2 days"}};
  for (const auto &[age, text] : cases) EXPECT_EQ(age_text(1000, 1000 + age), text) << age;
  EXPECT_EQ(age_text(0, 1000), "") << "unknown";
}

TEST(Amounts, TimesRunOn) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(59), "0:59");
  EXPECT_EQ(clock_text(725), "12:05");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(clock_text(360000), "100:00:00");
}

TEST(Amounts, UnknownDatesAreEmpty) {
  EXPECT_EQ(date_text(0), "");
  EXPECT_EQ(utc_text(0), "");
  EXPECT_EQ(utc_text(1700000000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(date_text(1700000000).size(), sizeof "2023-11-14 22:13:20" - 1);
}

}  // namespace
}  // namespace genclip
