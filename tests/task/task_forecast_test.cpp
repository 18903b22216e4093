// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When a task will be completed, by its progress and by earlier tasks.
#include "plugin/task/task_forecast.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

// Asked every 8 s, from the first one on.
TaskForecast after_progress(double queued, double whole, double until, int step = 1) {
  TaskForecast forecast;
  for (double at = 8; at <= until; at += 8) {
    const double percent = at < queued ? 0 : 100 * (at - queued) / (whole - queued);
    forecast.saw(at, static_cast<int>(percent) / step * step);
  }
  return forecast;
}

std::vector<PastWait> around(double seconds) {
  std::vector<PastWait> past;
  for (int i = -4; i <= 4; ++i) past.push_back({seconds + i, 3});
  return past;
}

TEST(TaskForecast, IsUnknownWithoutHistoryAndProgress) {
  const TaskForecast forecast;
  EXPECT_FALSE(forecast.outlook(0).eta);
  EXPECT_FALSE(forecast.outlook(100).is_overdue);
}

TEST(TaskForecast, IsTheMedianOfEarlierTasks) {
  const TaskForecast forecast(around(100));
  for (const double now : {0.0, 20.0, 60.0, 80.0}) {
    const auto eta = forecast.outlook(now).eta;
    ASSERT_TRUE(eta);
    EXPECT_NEAR(*eta, 100 - now, 3) << now;
  }
}

TEST(TaskForecast, IsNotLedAstrayByFewTasksThatTookLonger) {
  std::vector<PastWait> past = around(100);
  past.push_back({290, 3});
  past.push_back({240, 3});
  const auto eta = TaskForecast(past).outlook(0).eta;
  ASSERT_TRUE(eta);
  EXPECT_NEAR(*eta, 100, 4);
}

TEST(TaskForecast, IsOverduePastTheLongestOne) {
  const TaskForecast forecast(around(100));
  const Outlook before = forecast.outlook(106), after = forecast.outlook(108);
  EXPECT_FALSE(before.is_overdue);
  EXPECT_TRUE(before.eta);
  EXPECT_TRUE(after.is_overdue);
  EXPECT_FALSE(after.eta) << "nobody knows";
}

TEST(TaskForecast, FollowsProgressThatMovesEvenly) {
  for (const int step : {1, 5, 10}) {
    const auto eta = after_progress(20, 320, 240, step).outlook(240).eta;
    ASSERT_TRUE(eta) << step;
    EXPECT_NEAR(*eta, 80, step + 1) << step;
  }
}

TEST(TaskForecast, BelievesProgressMoreThanHistory) {
  TaskForecast forecast(around(100));
  for (double at = 8; at <= 200; at += 8) forecast.saw(at, static_cast<int>(at / 4));
  const Outlook outlook = forecast.outlook(200);
  EXPECT_FALSE(outlook.is_overdue) << "its progress tells when it ends";
  ASSERT_TRUE(outlook.eta);
  EXPECT_NEAR(*outlook.eta, 200, 5);
}

TEST(TaskForecast, OfProgressThatBeganAnewForgetsWhatWasBefore) {
  TaskForecast forecast = after_progress(0, 100, 80);
  for (double at = 88; at <= 288; at += 8) forecast.saw(at, static_cast<int>((at - 80) / 4));
  const auto eta = forecast.outlook(288).eta;
  ASSERT_TRUE(eta);
  EXPECT_NEAR(*eta, 192, 5);
}

// Whatever a service sends, there is an outlook, and it is one of probabilities.
TEST(TaskForecast, SurvivesAnyProgress) {
  uint32_t random = 16;
  const auto next = [&] { return random = random * 1664525 + 1013904223; };
  for (int round = 0; round < 300; ++round) {
    TaskForecast forecast(round % 2 ? around(50) : std::vector<PastWait>{{0, 0}, {1e12, 1e12}});
    double now = 0;
    for (int i = 0; i < 20; ++i) {
      now += next() % 2000 / 100.0;
      forecast.saw(now, static_cast<int>(next() >> 8) % 130 - 10);
    }
    const Outlook outlook = forecast.outlook(now);
    double before = 1;
    for (const double unfinished : outlook.unfinished) {
      ASSERT_GE(unfinished, -1e-9);
      ASSERT_LE(unfinished, before + 1e-9);
      before = unfinished;
    }
    ASSERT_GE(outlook.eta.value_or(0), 0);
  }
}

}  // namespace
}  // namespace genclip
