// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When late captions are worth a warning, and which latency it suggests.
#include "elements/captioner/observed_latency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ObservedLatency, KnowsTheLongestOne) {
  ObservedLatency observed(1000ms);
  EXPECT_EQ(observed.longest(), 0ns);
  for (const auto took : {300ms, 900ms, 400ms}) observed.add(took, false);
  EXPECT_EQ(observed.longest(), 900ms);
  EXPECT_FALSE(observed.warning());
}

TEST(ObservedLatency, WarnsOnceOfThreeLateOnes) {
  ObservedLatency observed(1000ms);
  observed.add(1200ms, true);
  observed.add(1500ms, true);
  EXPECT_FALSE(observed.warning()) << "two may be chance";
  observed.add(2300ms, true);
  const auto warning = observed.warning();
  ASSERT_TRUE(warning);
  EXPECT_THAT(warning->text, HasSubstr("3 of the last 3 live captions were late"));
  EXPECT_THAT(warning->text, HasSubstr("latency is 1000 ms, and the slowest took 2300 ms or more"));
  EXPECT_THAT(warning->text, HasSubstr("set latency to 3000."));
  observed.add(5000ms, true);
  EXPECT_FALSE(observed.warning());
  EXPECT_EQ(observed.longest(), 5000ms);
}

TEST(ObservedLatency, BearsAFewLateOnesOfMany) {
  ObservedLatency observed(1000ms);
  for (int i = 0; i < 28; ++i) observed.add(500ms, false);
  for (int i = 0; i < 3; ++i) observed.add(1500ms, true);
  EXPECT_FALSE(observed.warning()) << "3 of 31";
  observed.add(1500ms, true);
  EXPECT_TRUE(observed.warning()) << "4 of 32";
}

TEST(ObservedLatency, WarnsOfABadHourAfterGoodDays) {
  ObservedLatency observed(1000ms);
  for (int i = 0; i < 100'000; ++i) {
    observed.add(500ms, false);
    ASSERT_FALSE(observed.warning()) << i;
  }
  for (int i = 1; i <= 10; ++i) {
    observed.add(1500ms, true);
    EXPECT_EQ(static_cast<bool>(observed.warning()), i == 10) << i;
  }
}

TEST(ObservedLatency, WarnsAgainOnceItWasGoodAgain) {
  ObservedLatency observed(1000ms);
  for (int i = 0; i < 3; ++i) observed.add(9000ms, true);
  EXPECT_TRUE(observed.warning());
  // A tenth is late, now less, now more: no second warning is due.
  for (int i = 0; i < 1000; ++i) {
    observed.add(1500ms, i % 10 == 0);
    EXPECT_FALSE(observed.warning()) << i;
  }
  for (int i = 0; i < 100; ++i) observed.add(500ms, false);
  for (int i = 0; i < 10; ++i) observed.add(2300ms, true);
  const auto warning = observed.warning();
  ASSERT_TRUE(warning);
  EXPECT_THAT(warning->text, HasSubstr("10 of the last 100 live captions were late"));
  EXPECT_THAT(warning->text, HasSubstr("the slowest took 2300 ms")) << "of those, not of the whole run";
  EXPECT_EQ(observed.longest(), 9000ms);
}

TEST(ObservedLatency, SuggestsAWholeHalfSecondWithATenthToSpare) {
  for (const auto &[took, enough] : {std::pair{1ms, "500."}, {4545ms, "5000."}, {4550ms, "5500."}}) {
    ObservedLatency observed(0ms);
    for (int i = 0; i < 3; ++i) observed.add(took, true);
    const auto warning = observed.warning();
    ASSERT_TRUE(warning);
    EXPECT_THAT(warning->text, HasSubstr(std::string("set latency to ") + enough)) << took.count();
  }
}

}  // namespace
}  // namespace genclip
