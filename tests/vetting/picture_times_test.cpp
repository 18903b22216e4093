// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frames are missing, by times alone.
#include "plugin/vetting/picture_times.h"

#include <gtest/gtest.h>

#include <set>

namespace genclip {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Frames of 40 ms, without those of these numbers.
std::vector<ShownFrame> frames_without(const std::set<int> &left_out, int count = 50) {
  std::vector<ShownFrame> frames;
  for (int i = 0; i < count; ++i)
    if (!left_out.contains(i)) frames.push_back({milliseconds(40 * i), milliseconds(40)});
  return frames;
}

std::vector<nanoseconds> begins_of(const std::vector<ShownFrame> &frames) {
  std::vector<nanoseconds> begins;
  for (const ShownFrame &frame : frames) begins.push_back(frame.begin);
  return begins;
}

TEST(Gaps, AreNotInACompleteClip) { EXPECT_FALSE(gaps(frames_without({}))); }

TEST(Gaps, AreFoundAndCounted) {
  const auto one = gaps(frames_without({20}));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->count, 1u);
  EXPECT_EQ(one->first, milliseconds(800));
  const auto more = gaps(frames_without({7, 8, 9, 30}));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->count, 4u);
  EXPECT_EQ(more->first, milliseconds(280));
}

TEST(Gaps, AreNotWhatWebMRoundsOrVariesSlightly) {
  std::vector<ShownFrame> frames;
  for (int i = 0; i < 60; ++i) frames.push_back({milliseconds(1000 * i / 60), {}});
  EXPECT_FALSE(gaps(frames));
}

TEST(Gaps, AreNotInAClipOfVaryingRate) {
  std::vector<ShownFrame> frames;
  nanoseconds time{};
  for (int i = 0; i < 60; ++i) {
    frames.push_back({time, {}});
    time += milliseconds(i % 4 == 0 ? 120 : 40);
  }
  EXPECT_FALSE(usual_interval(frames));
  EXPECT_FALSE(gaps(frames));
}

TEST(Gaps, AreNotKnownOfAFewFrames) { EXPECT_FALSE(gaps(frames_without({3}, 8))); }

TEST(PictureEnd, IsTheEndOfTheLastFrame) {
  EXPECT_FALSE(picture_end({}));
  EXPECT_EQ(picture_end(frames_without({})), milliseconds(2000));
  auto frames = frames_without({});
  for (ShownFrame &frame : frames) frame.length = {};
  EXPECT_EQ(picture_end(frames), milliseconds(2000)) << "by the usual interval";
  EXPECT_EQ(picture_end({{milliseconds(10), {}}}), milliseconds(10));
  EXPECT_EQ(picture_end({{milliseconds(0), {}}, {milliseconds(30), {}}}), milliseconds(60));
}

TEST(Missing, NamesTheFirstAndCountsAll) {
  const auto promised = begins_of(frames_without({}));
  EXPECT_FALSE(missing(promised, frames_without({})));
  const auto middle = missing(promised, frames_without({3, 10, 11}));
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->count, 3u);
  EXPECT_EQ(middle->first, milliseconds(120));
  const auto end = missing(promised, frames_without({48, 49}));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->count, 2u);
  EXPECT_EQ(end->first, milliseconds(1920));
  EXPECT_FALSE(missing(begins_of(frames_without({4})), frames_without({}))) << "more frames than promised";
}

TEST(Missing, AllowsForRounding) {
  auto frames = frames_without({});
  for (size_t i = 0; i < frames.size(); ++i) frames[i].begin += milliseconds(i % 2 ? 1 : -1);
  EXPECT_FALSE(missing(begins_of(frames_without({})), frames));
}

}  // namespace
}  // namespace genclip
