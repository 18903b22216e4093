// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <chrono>

#include "plugin/channel/schedule.h"

namespace genclip {
namespace {

using namespace std::chrono_literals;

TEST(FrameTime, IsExactOverADayOf30000Over1001) {
  ScheduleSettings settings;
  settings.fps_n = 30000;
  settings.fps_d = 1001;
  // 30000 frames last 1001 s.
  EXPECT_EQ(time_of_frame(settings, 30000), 1001s);
  EXPECT_EQ(time_of_frame(settings, 1), 33366667ns) << "to the nearest nanosecond, as the playout";
  EXPECT_EQ(time_of_frame(settings, 2589410), 86399980333333ns);
  EXPECT_EQ(frames_in(settings, 24h), 2589411u);
}

TEST(FrameTime, GoesThereAndBackForEachRate) {
  constexpr uint64_t kRates[][2] = {
      {25, 1}, {24, 1}, {30000, 1001}, {24000, 1001},           {60, 1}, {60000, 1001}, {1, 1},
      {1, 10}, {15, 2}, {120, 1},      {2147483647, 2147483646}};
  for (const auto &[fps_n, fps_d] : kRates) {
    ScheduleSettings settings;
    settings.fps_n = fps_n;
    settings.fps_d = fps_d;
    for (const uint64_t frame : {0ul, 1ul, 2ul, 17ul, 89999ul, 2589411ul, 100000007ul})
      EXPECT_EQ(frames_in(settings, time_of_frame(settings, frame)), frame) << fps_n << "/" << fps_d;
  }
}

TEST(FrameTime, RoundsALengthToTheNearestFrame) {
  const ScheduleSettings settings;  // 25/1: 40 ms each.
  EXPECT_EQ(frames_in(settings, 19ms), 0u);
  EXPECT_EQ(frames_in(settings, 20ms), 1u);
  EXPECT_EQ(frames_in(settings, 59ms), 1u);
  EXPECT_EQ(frames_in(settings, 61ms), 2u);
  EXPECT_EQ(frames_in(settings, -5s), 0u);
}

}  // namespace
}  // namespace genclip
