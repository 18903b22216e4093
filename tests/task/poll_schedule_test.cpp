// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When the next query is due (§4.2: every 5 to 10 seconds).
#include "plugin/task/poll_schedule.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Clock::Time kNow = test::FakeClock().now();

TEST(PollSchedule, NeverAsksSoonerThanTheIntervalNorATenthLater) {
  for (const milliseconds interval :
       {milliseconds(10), milliseconds(5000), milliseconds(9000), milliseconds(600000)}) {
    const PollSchedule schedule(interval, std::nullopt);
    for (double jitter = 0; jitter < 1; jitter += 0.01) {
      const auto next = schedule.next(kNow, jitter);
      ASSERT_TRUE(next);
      EXPECT_GE(*next, kNow + interval);
      EXPECT_LE(*next, kNow + interval + interval / 10);
    }
    EXPECT_EQ(*schedule.next(kNow, 0), kNow + interval);
    EXPECT_GT(*schedule.next(kNow, 0.9), kNow + interval) << "elements that start together spread out";
  }
}

TEST(PollSchedule, KeepsTheServicesLimitsWithItsOwnDefault) {
  const PollSchedule schedule(milliseconds(0), std::nullopt);
  const TaskForecast blind, known({{100, 2}, {102, 2}});
  for (const TaskForecast &forecast : {blind, known})
    for (double now = 0; now < 200; now += 1)
      for (const double jitter : {0.0, 0.5, 0.999}) {
        const auto pause = *schedule.next(kNow, jitter, forecast.outlook(now)) - kNow;
        EXPECT_GE(pause, seconds(5)) << now;
        EXPECT_LE(pause, seconds(10)) << now;
      }
}

TEST(PollSchedule, FromHistoryAsksSeldomFarFromTheEndAndJustAfterIt) {
  std::vector<PastWait> past;
  for (int i = 0; i < 20; ++i) past.push_back({100 + (i % 3 - 1) * 0.1, 0.2});
  const TaskForecast forecast(past);
  const PollSchedule schedule(milliseconds(0), std::nullopt);
  double now = 0;
  int queries = 0;
  while (now < 100) {
    now += std::chrono::duration<double>(*schedule.next(kNow, 0, forecast.outlook(now)) - kNow).count();
    ++queries;
  }
  EXPECT_LE(now, 101.5);
  EXPECT_LE(queries, 13);
}

TEST(PollSchedule, AsksALastTimeAtTheDeadline) {
  const PollSchedule schedule(seconds(5), kNow + seconds(12));
  EXPECT_EQ(schedule.next(kNow, 0), kNow + seconds(5));
  EXPECT_EQ(schedule.next(kNow + seconds(5), 0), kNow + seconds(10));
  EXPECT_EQ(schedule.next(kNow + seconds(10), 0), kNow + seconds(12));
  EXPECT_EQ(schedule.next(kNow + seconds(12), 0), std::nullopt);
  EXPECT_EQ(schedule.next(kNow + seconds(13), 0), std::nullopt);
  EXPECT_EQ(PollSchedule(seconds(0), kNow + seconds(3)).next(kNow, 0), kNow + seconds(3));
}

}  // namespace
}  // namespace genclip
