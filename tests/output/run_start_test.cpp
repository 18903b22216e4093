// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/run_start.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;

constexpr Clock::WallTime kNoon{std::chrono::seconds(1795348800)};

// A busy machine lets a thread rest between its looks at both clocks.
TEST(RunStart, IsTheSameForAllFramesOfARun) {
  RunStart start;
  EXPECT_EQ(start.of(kNoon + 10s, 10s), kNoon);
  EXPECT_EQ(start.of(kNoon + 20s + 900ms, 20s), kNoon);
  EXPECT_EQ(start.of(kNoon + 30s - 900ms, 30s), kNoon);
  EXPECT_EQ(start.of(kNoon + 40s, 40s), kNoon);
}

TEST(RunStart, FollowsAClockThatIsSet) {
  RunStart start;
  EXPECT_EQ(start.of(kNoon + 10s, 10s), kNoon);
  EXPECT_EQ(start.of(kNoon + 1h + 20s, 20s), kNoon + 1h);
  EXPECT_EQ(start.of(kNoon + 1h + 30s + 5ms, 30s), kNoon + 1h);
  EXPECT_EQ(start.of(kNoon + 40s, 40s), kNoon);
}

}  // namespace
}  // namespace genclip
