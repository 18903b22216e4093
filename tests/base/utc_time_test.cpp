// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/utc_time.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;

UtcTime at(const char *text) { return utc_time(text).value_or(UtcTime(-1ms)); }

TEST(UtcTime, IsReadAndWrittenToTheMillisecond) {
  for (const char *text : {"1970-01-01T00:00:00.000Z", "2026-02-28T23:59:59.999Z", "2028-02-29T12:00:00.001Z",
                           "9999-12-31T23:59:59.999Z"})
    EXPECT_EQ(utc_text(at(text)), text);
  EXPECT_EQ(utc_text(at("2026-11-22T09:50:06Z")), "2026-11-22T09:50:06.000Z");
  EXPECT_EQ(utc_text(at("2026-11-22T09:50:06.1239Z")), "2026-11-22T09:50:06.123Z");
  for (const char *text :
       {"2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-22T24:00:00Z", "2026-11-22",
        "2026-11-22T09:50:06", "2026-11-22T09:50:06+01:00", "2026-11-22T09:50:06.Z",
        "2026-11-22T09:50:06.1x3Z", "1969-12-31T00:00:00Z", "2026-11-22 09:50:06Z", ""})
    EXPECT_FALSE(utc_time(text)) << text;
}

TEST(UtcTime, KnowsWhereMonthsBegin) {
  const auto day = utc_day("2026-12-31");
  ASSERT_TRUE(day);
  EXPECT_EQ(day_text(month_of(*day)), "2026-12-01");
  EXPECT_EQ(day_text(next_month(*day)), "2027-01-01");
  EXPECT_EQ(day_text(day_of(at("2026-12-31T23:59:59.999Z"))), "2026-12-31");
}

TEST(UtcTime, OfTheSystemClockIsRoundedDown) {
  using Time = std::chrono::system_clock::time_point;
  EXPECT_EQ(utc_text(Time(1795379400007ms + 999us)), "2026-11-22T20:30:00.007Z");
  EXPECT_EQ(utc_text(Time(-1ms)), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace genclip
