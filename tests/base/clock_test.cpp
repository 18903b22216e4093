// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The real clock sleeps neither too short nor too long; the fake clock makes the same promises.
#include "plugin/base/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "plugin/base/gref.h"
#include "tests/support/fake_clock.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Cancellable = GRef<GCancellable>;

TEST(SystemClock, SleepsUntilTheTimeAndNotLess) {
  Clock &clock = Clock::system();
  const auto cancellable = Cancellable::adopt(g_cancellable_new());
  for (GCancellable *one : {cancellable.get(), static_cast<GCancellable *>(nullptr)}) {
    const auto time = clock.now() + milliseconds(5);
    EXPECT_TRUE(clock.sleep_until(time, one));
    EXPECT_GE(clock.now(), time);
  }
}

TEST(SystemClock, DoesNotSleepUntilAPastTime) {
  Clock &clock = Clock::system();
  EXPECT_TRUE(clock.sleep_until(clock.now() - seconds(1), nullptr));
  EXPECT_TRUE(clock.sleep_until(Clock::Time::min(), nullptr));
}

TEST(SystemClock, IsWokenByACancellation) {
  Clock &clock = Clock::system();
  const auto cancellable = Cancellable::adopt(g_cancellable_new());
  const auto begin = clock.now();
  std::thread other([&] { g_cancellable_cancel(cancellable.get()); });
  // Longer than one poll() can wait.
  EXPECT_FALSE(clock.sleep_until(begin + std::chrono::hours(24 * 365), cancellable.get()));
  other.join();
  EXPECT_LT(clock.now() - begin, seconds(30));
  EXPECT_FALSE(clock.sleep_until(clock.now() + seconds(60), cancellable.get())) << "cancelled before";
}

TEST(FakeClock, JumpsAndRemembers) {
  test::FakeClock clock;
  const auto begin = clock.now();
  const auto wall = clock.wall_now();
  EXPECT_TRUE(clock.sleep_until(begin + seconds(3600), nullptr));
  EXPECT_EQ(clock.now(), begin + seconds(3600));
  EXPECT_EQ(clock.wall_now(), wall + seconds(3600));
  EXPECT_TRUE(clock.sleep_until(begin, nullptr)) << "a past time does not turn it back";
  EXPECT_EQ(clock.now(), begin + seconds(3600));
  const auto cancellable = Cancellable::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  EXPECT_FALSE(clock.sleep_until(clock.now() + seconds(5), cancellable.get()));
  EXPECT_EQ(clock.now(), begin + seconds(3600));
  EXPECT_EQ(clock.pauses(), (std::vector<milliseconds>{seconds(3600), seconds(-3600), seconds(5)}));
  EXPECT_FALSE(clock.sleeps()[2].reached);
}

TEST(FakeClock, HeldWaitsForTheTestToAdvance) {
  test::FakeClock clock;
  clock.hold(true);
  const auto time = clock.now() + seconds(10);
  std::thread sleeper([&] { EXPECT_TRUE(clock.sleep_until(time, nullptr)); });
  ASSERT_TRUE(clock.wait_for_sleepers(1));
  clock.advance(seconds(9));
  EXPECT_TRUE(clock.sleeps().empty());
  clock.advance(seconds(2));
  sleeper.join();
  EXPECT_EQ(clock.now(), time + seconds(1));
}

}  // namespace
}  // namespace genclip
