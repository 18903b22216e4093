// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/clipsrc/buffering_gauge.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

using std::chrono::seconds;

const BufferingGauge::Time kBegin{seconds(1000)};

GenerationState state_of(ClipStatus status, int progress = -1, double eta = -1) {
  GenerationState state;
  state.status = status;
  state.progress = progress;
  state.eta = eta;
  return state;
}

class Gauge : public testing::Test {
 protected:
  std::optional<int> next(const GenerationState &state, int after = 0, bool plays = false) {
    return gauge_.next(state, kBegin + seconds(after), plays);
  }
  BufferingGauge gauge_;
};

TEST_F(Gauge, FollowsTheProgressUpTo95AndThenSays100Once) {
  EXPECT_EQ(next(state_of(ClipStatus::idle)), std::nullopt);
  EXPECT_EQ(next(state_of(ClipStatus::submitting)), 0);
  EXPECT_EQ(next(state_of(ClipStatus::queued)), std::nullopt) << "as before";
  EXPECT_EQ(next(state_of(ClipStatus::processing, 40)), 40);
  EXPECT_EQ(next(state_of(ClipStatus::processing, 30)), std::nullopt) << "never back";
  EXPECT_EQ(next(state_of(ClipStatus::processing, 99)), 95);
  EXPECT_EQ(next(state_of(ClipStatus::downloading, 100)), 100);
  EXPECT_EQ(next(state_of(ClipStatus::completed, 100)), std::nullopt);
  EXPECT_EQ(next(state_of(ClipStatus::processing, 50)), std::nullopt) << "nothing after that";
  EXPECT_EQ(gauge_.end(), std::nullopt);
}

TEST_F(Gauge, FollowsTheExpectedTimeWhereNoProgressIsTold) {
  EXPECT_EQ(next(state_of(ClipStatus::queued, -1, 60)), 0);
  EXPECT_EQ(next(state_of(ClipStatus::processing, -1, 45), 15), 25);
  EXPECT_EQ(next(state_of(ClipStatus::processing, -1, -1), 20), std::nullopt);
  EXPECT_EQ(next(state_of(ClipStatus::processing, -1, 0), 60), 95);
}

TEST_F(Gauge, TheProgressOfAReferenceIsNotTheClips) {
  EXPECT_EQ(next(state_of(ClipStatus::preparing, 90)), 0);
  EXPECT_EQ(next(state_of(ClipStatus::processing, 10)), 10);
}

TEST_F(Gauge, SaysNothingOfAStoredClip) {
  EXPECT_EQ(next(state_of(ClipStatus::idle)), std::nullopt);
  EXPECT_EQ(next(state_of(ClipStatus::completed)), std::nullopt);
  EXPECT_EQ(gauge_.end(), std::nullopt);
}

TEST_F(Gauge, AFailureAndAStopEndIt) {
  EXPECT_EQ(next(state_of(ClipStatus::waiting)), 0);
  EXPECT_EQ(next(state_of(ClipStatus::failed)), 100);
  BufferingGauge stopped;
  EXPECT_EQ(stopped.next(state_of(ClipStatus::queued), kBegin, false), 0);
  EXPECT_EQ(stopped.end(), 100);
  EXPECT_EQ(stopped.end(), std::nullopt);
}

TEST_F(Gauge, DoesNotPauseWhatPlaysAndStillEndsWhatItHasBegun) {
  EXPECT_EQ(next(state_of(ClipStatus::queued), 0, true), std::nullopt);
  EXPECT_EQ(next(state_of(ClipStatus::processing, 20), 0, false), 20);
  EXPECT_EQ(next(state_of(ClipStatus::processing, 40), 0, true), std::nullopt);
  EXPECT_EQ(next(state_of(ClipStatus::downloading, 100), 0, true), 100);
  BufferingGauge silent;
  EXPECT_EQ(silent.next(state_of(ClipStatus::queued), kBegin, true), std::nullopt);
  EXPECT_EQ(silent.next(state_of(ClipStatus::completed), kBegin, true), std::nullopt);
}

}  // namespace
}  // namespace genclip::test
