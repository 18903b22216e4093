// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/key_frame_join.h"

#include <gtest/gtest.h>

#include <deque>

#include "plugin/output/stall_watch.h"

namespace genclip {
namespace {

using namespace std::chrono_literals;

constexpr bool kKey = true, kFull = true;

TEST(KeyFrameJoin, TakesNothingBeforeAKeyFrame) {
  KeyFrameJoin join;
  EXPECT_FALSE(join.audio({100, 100}, !kFull));
  EXPECT_FALSE(join.video(!kKey, {100, 100}, !kFull));
  EXPECT_TRUE(join.video(kKey, {140, 140}, !kFull));
  EXPECT_TRUE(join.video(!kKey, {180, 180}, !kFull));
}

TEST(KeyFrameJoin, CountsFromTheDecodingTimeOfTheKeyFrame) {
  KeyFrameJoin join;
  EXPECT_EQ(join.video(kKey, {1040, 1000}, !kFull), (FrameTimes{40, 0}));
  EXPECT_EQ(join.video(!kKey, {1120, 1040}, !kFull), (FrameTimes{120, 40}));
  EXPECT_EQ(join.audio({1050, 1050}, !kFull), (FrameTimes{50, 50}));
}

TEST(KeyFrameJoin, LeavesOutWhatIsShownBeforeItsKeyFrame) {
  KeyFrameJoin join;
  ASSERT_TRUE(join.video(kKey, {1080, 1000}, !kFull));
  EXPECT_FALSE(join.video(!kKey, {1040, 1040}, !kFull)) << "a picture that refers to an earlier one";
  EXPECT_FALSE(join.audio({1060, 1060}, !kFull));
  EXPECT_TRUE(join.audio({1080, 1080}, !kFull));
}

TEST(KeyFrameJoin, WaitsForAKeyFrameAfterAnOverflowAndKeepsTheGap) {
  KeyFrameJoin join;
  ASSERT_TRUE(join.video(kKey, {1000, 1000}, !kFull));
  EXPECT_FALSE(join.video(!kKey, {1040, 1040}, kFull));
  EXPECT_FALSE(join.video(!kKey, {1080, 1080}, !kFull));
  EXPECT_EQ(join.audio({1080, 1080}, !kFull), (FrameTimes{80, 80})) << "the sound continues";
  EXPECT_EQ(join.video(kKey, {3000, 3000}, !kFull), (FrameTimes{2000, 2000}));
  EXPECT_TRUE(join.audio({2990, 2990}, !kFull));
}

TEST(KeyFrameJoin, AnOverflowOfTheSoundStopsThePictureToo) {
  KeyFrameJoin join;
  ASSERT_TRUE(join.video(kKey, {1000, 1000}, !kFull));
  EXPECT_FALSE(join.audio({1000, 1000}, kFull));
  EXPECT_FALSE(join.video(!kKey, {1040, 1040}, !kFull));
}

// A muxer takes what comes first, and only while it has both. A burst, such as that of a process that was
// stopped for a while, must not keep one queue full and the other one empty.
TEST(KeyFrameJoin, NoBurstStopsAMuxerForever) {
  constexpr int64_t kFrame = 40, kLongest = 5000, kGroup = 2000;
  for (const int64_t burst : {4000, 6000, 10000, 30000}) {
    for (const bool is_picture_first : {true, false}) {
      KeyFrameJoin join;
      std::deque<int64_t> pictures, sounds;
      const auto level = [](const std::deque<int64_t> &queue) {
        return queue.empty() ? 0 : queue.back() - queue.front();
      };
      const auto picture = [&](int64_t at) {
        if (join.video(at % kGroup == 0, {at, at}, level(pictures) > kLongest)) pictures.push_back(at);
      };
      const auto sound = [&](int64_t at) {
        if (join.audio({at, at}, level(sounds) > kLongest)) sounds.push_back(at);
      };
      int64_t left = 0;
      const auto mux = [&] {
        while (!pictures.empty() && !sounds.empty()) {
          auto &first = pictures.front() <= sounds.front() ? pictures : sounds;
          left = first.front();
          first.pop_front();
        }
      };
      const int64_t end = 10000 + burst;
      for (int64_t at = 0; at < 10000; at += kFrame) picture(at), sound(at), mux();
      for (int64_t at = 10000; at < end; at += kFrame) is_picture_first ? picture(at) : sound(at);
      for (int64_t at = 10000; at < end; at += kFrame) is_picture_first ? sound(at) : picture(at);
      for (int64_t at = end; at < end + 20000; at += kFrame) picture(at), sound(at), mux();
      EXPECT_GT(left, end + 19000) << burst << " " << is_picture_first;
    }
  }
}

// Looks each second from `from` to `to`, as the thread of an output does: what the last one says.
bool looks(StallWatch &watch, uint64_t fed, uint64_t left, Clock::Time from, Clock::Time to) {
  bool stalled = false;
  for (auto now = from; now <= to; now += 1s) stalled = watch.stalled(fed, left, now);
  return stalled;
}

TEST(StallWatch, TellsWhenNothingLeavesForTheWholeLimit) {
  const Clock::Time begin{};
  StallWatch watch(10s, begin);
  EXPECT_FALSE(watch.stalled(100, 5, begin + 1s));
  EXPECT_FALSE(looks(watch, 300, 5, begin + 2s, begin + 11s));
  EXPECT_TRUE(watch.stalled(301, 5, begin + 11s + 1ms));
}

TEST(StallWatch, BeginsAnewWithEveryPacketThatLeaves) {
  const Clock::Time begin{};
  StallWatch watch(10s, begin);
  EXPECT_FALSE(looks(watch, 100, 5, begin, begin + 9s));
  EXPECT_FALSE(looks(watch, 200, 6, begin + 10s, begin + 18s));
  EXPECT_FALSE(looks(watch, 300, 6, begin + 19s, begin + 20s));
}

TEST(StallWatch, NeverBlamesAnOutputThatIsGivenNothing) {
  const Clock::Time begin{};
  StallWatch watch(10s, begin);
  EXPECT_FALSE(looks(watch, 100, 5, begin + 1s, begin + 100s));
  EXPECT_FALSE(looks(watch, 101, 5, begin + 101s, begin + 109s));
}

TEST(StallWatch, NeverBlamesAnOutputForTheTimeInWhichNobodyLooked) {
  const Clock::Time begin{};
  StallWatch watch(10s, begin);
  EXPECT_FALSE(watch.stalled(100, 5, begin + 1s));
  EXPECT_FALSE(looks(watch, 101, 5, begin + 2s, begin + 3s));
  // The process was stopped; then it takes a moment until packets leave again.
  EXPECT_FALSE(looks(watch, 102, 5, begin + 63s, begin + 67s));
  EXPECT_TRUE(looks(watch, 103, 5, begin + 68s, begin + 73s));
}

TEST(BackOff, DoublesUpToTheLast) {
  BackOff back_off(1s, 5s);
  for (const auto wait : {1s, 2s, 4s, 5s, 5s}) EXPECT_EQ(back_off.after(0s), wait);
}

TEST(BackOff, BeginsAnewAfterABuildThatWorked) {
  BackOff back_off(1s, 5s);
  for (int i = 0; i < 4; ++i) back_off.after(5s);
  EXPECT_EQ(back_off.after(6s), 1s);
}

}  // namespace
}  // namespace genclip
