// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The gain brings a clip to the target, and says so when it cannot.
#include "plugin/vetting/gain.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

constexpr double kTarget = -23, kPeakLimit = -1;

Gain gain(double lufs, double true_peak) { return gain_for({lufs, true_peak}, kTarget, kPeakLimit); }

TEST(Gain, BringsLoudnessToTheTarget) {
  EXPECT_DOUBLE_EQ(gain(-30, -20).db, 7);
  EXPECT_EQ(gain(-30, -20).note, "");
  EXPECT_DOUBLE_EQ(gain(-10, 2).db, -13) << "loud sound whose peak is too high before the gain only";
  EXPECT_EQ(gain(-10, 2).note, "");
}

TEST(Gain, StopsAtTheTruePeak) {
  EXPECT_DOUBLE_EQ(gain(-30, -5).db, 4);
  EXPECT_EQ(gain(-30, -5).note, "The gain of 7 dB is limited to 4 dB: the true peak is -5 dBTP.");
  EXPECT_DOUBLE_EQ(gain(-23, 0.5).db, -1.5) << "down, too";
}

TEST(Gain, StopsAtTwentyDecibels) {
  EXPECT_DOUBLE_EQ(gain(-50, -40).db, 20);
  EXPECT_EQ(gain(-50, -40).note, "The gain of 27 dB is limited to 20 dB.");
  EXPECT_DOUBLE_EQ(gain(-50, -15).db, 14) << "the true peak limits it more";
}

TEST(Gain, LeavesSilenceAlone) {
  const Gain silent = gain_for({}, kTarget, kPeakLimit);
  EXPECT_EQ(silent.db, 0);
  EXPECT_EQ(silent.note, "The sound is silent.");
}

TEST(Gain, IsOffWithoutATarget) {
  const Gain off = gain_for({-30.0, 3}, 0, kPeakLimit);
  EXPECT_EQ(off.db, 0);
  EXPECT_EQ(off.note, "");
}

}  // namespace
}  // namespace genclip
