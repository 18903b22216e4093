// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Segments without a flush: those that continue the same time, and those that begin another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/caption_harness.h"

namespace genclip::test {
namespace {

using testing::Contains;
using testing::ElementsAre;

constexpr uint64_t kSecond = GST_SECOND;
constexpr uint64_t kOnePicture = kSecond / 10;
constexpr char kTenASecond[] = "video/x-raw,format=RGB,width=4,height=4,framerate=10/1";
const std::string kBlack(48, '\0');
const std::string kSaidOfBlack = "1 still of 4x4. It is black.";

CameOut spoken(uint64_t start, uint64_t end) { return {"caption", start, end, kSaidOfBlack}; }
CameOut silence(uint64_t start, uint64_t end) { return {"gap", start, end}; }

struct Stretch {
  uint64_t start = 0;
  uint64_t time = 0;
  uint64_t base = 0;
  uint64_t stop = GST_CLOCK_TIME_NONE;
};

void push_segment(CaptionHarness &harness, const Stretch &part) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.position = part.start;
  segment.time = part.time;
  segment.base = part.base;
  segment.stop = part.stop;
  harness.push_event(gst_event_new_segment(&segment));
}

void push_pictures(CaptionHarness &harness, uint64_t from, uint64_t until) {
  for (uint64_t at = from; at < until; at += kOnePicture)
    ASSERT_EQ(harness.push(kBlack, at, kOnePicture), GST_FLOW_OK);
}

// End of the last one. Each begins where the one before it ends.
uint64_t end_without_a_break(const std::vector<CameOut> &cues, const std::string &what) {
  uint64_t until = 0;
  for (const CameOut &cue : cues) {
    EXPECT_EQ(cue.start, until) << what;
    until = cue.end;
  }
  return until;
}

TEST(Segments, OfTheSameTimeContinueTheWindow) {
  struct {
    const char *what;
    Stretch first, second;
    uint64_t seconds;  // of pictures in the first one
  } const cases[] = {
      {"matroskademux finds the beginning of the film", {kOnePicture, 0, 0}, {0, 0, 0}, 1},
      {"the next part of a timeline", {0, 0, 0}, {20 * kSecond, 3 * kSecond, 3 * kSecond}, 3},
      {"the same again", {0, 0, 0}, {0, 0, 0}, 3},
  };
  for (const auto &one : cases) {
    for (const char *properties : {"", "align=cuts", "stills=within frames=2"}) {
      GatewayServer gateway;
      CaptionHarness harness(gateway, properties, kTenASecond);
      harness.flush();
      push_segment(harness, one.first);
      push_pictures(harness, one.first.start, one.first.start + one.seconds * kSecond);
      push_segment(harness, one.second);
      const uint64_t at = one.second.start + one.seconds * kSecond - one.second.time;
      push_pictures(harness, at, at + (12 - one.seconds) * kSecond);
      const std::string what = std::string(one.what) + ", " + properties;
      EXPECT_EQ(end_without_a_break(only(harness.finish(), "caption"), what), 15 * kSecond) << what;
      EXPECT_EQ(gateway.gateway().calls(), 3u) << what;
    }
  }
}

// As qtdemux plays edits. The picture is another one, so it has a caption of its own.
TEST(Segments, ThatContinueBehindAStopHaveTheRestOfTheWindow) {
  for (const char *properties : {"", "align=cuts", "stills=within frames=2"}) {
    GatewayServer gateway;
    CaptionHarness harness(gateway, properties, kTenASecond);
    harness.flush();
    push_segment(harness, {0, 0, 0, 3 * kSecond});
    push_pictures(harness, 0, 3 * kSecond);
    push_segment(harness, {20 * kSecond, 3 * kSecond, 3 * kSecond, 21 * kSecond});
    push_pictures(harness, 20 * kSecond, 21 * kSecond);
    push_segment(harness, {4 * kSecond, 4 * kSecond, 4 * kSecond});
    push_pictures(harness, 4 * kSecond, 8 * kSecond);
    EXPECT_GE(end_without_a_break(only(harness.finish(), "caption"), properties), 8 * kSecond) << properties;
  }
}

TEST(Segments, ThatStopJustBeforeAWindowEndsHaveNoCaptionForTheRest) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  harness.flush();
  push_segment(harness, {0, 0, 0, 4960 * GST_MSECOND});
  push_pictures(harness, 0, 4900 * GST_MSECOND);
  push_segment(harness, {4960 * GST_MSECOND, 4960 * GST_MSECOND, 4960 * GST_MSECOND});
  push_pictures(harness, 4960 * GST_MSECOND, 8 * kSecond);
  EXPECT_THAT(only(harness.finish(), "caption"),
              ElementsAre(spoken(0, 4960 * GST_MSECOND), spoken(5 * kSecond, 10 * kSecond)));
}

TEST(Segments, WithALaterStopContinueWhereTheWindowWasCut) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  harness.flush();
  push_segment(harness, {0, 0, 0, 3 * kSecond});
  push_pictures(harness, 0, 2 * kSecond);
  push_segment(harness, {0, 0, 0, 60 * kSecond});
  push_pictures(harness, 2 * kSecond, 6 * kSecond);
  EXPECT_THAT(only(harness.finish(), "caption"),
              ElementsAre(spoken(0, 3 * kSecond), spoken(3 * kSecond, 5 * kSecond),
                          spoken(5 * kSecond, 10 * kSecond)));
}

// textoverlay forgets with each segment what it was promised.
TEST(Segments, ThatContinueAreFollowedByAPromise) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  harness.push(kBlack, 0, kOnePicture);
  // Behind the caption comes one as well.
  const size_t before = only(harness.wait_for("gap", 2), "gap").size();
  push_segment(harness, {0, 0, 0});
  EXPECT_EQ(only(harness.wait_for("gap", before + 1), "gap").back(), silence(5 * kSecond, 5 * kSecond));
}

TEST(Segments, OfAnotherTimeBeginAgain) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  push_pictures(harness, 0, 3 * kSecond);
  push_segment(harness, {0, 0, 3 * kSecond});
  push_pictures(harness, 0, 3 * kSecond);
  EXPECT_THAT(only(harness.finish(), "caption"), ElementsAre(spoken(0, 5 * kSecond), spoken(0, 5 * kSecond)));
}

// Silence from before the second segment would lie outside it.
TEST(Segments, ThatBeginLaterHaveNoSilenceFromBefore) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  harness.flush();
  push_segment(harness, {0, 0, 0});
  push_segment(harness, {60 * kSecond, 20 * kSecond, 20 * kSecond});
  harness.push(kBlack, 62 * kSecond, kOnePicture);
  const auto all = harness.finish();
  EXPECT_THAT(only(all, "caption"), ElementsAre(spoken(22 * kSecond, 25 * kSecond)));
  EXPECT_THAT(only(all, "gap"), Contains(silence(20 * kSecond, 22 * kSecond)));
}

// An input-selector between cameras.
TEST(Segments, OfASwitchBetweenLiveSourcesContinueTheWindow) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "latency=1000", kTenASecond, true);
  push_pictures(harness, 0, 2 * kSecond);
  harness.push_event(gst_event_new_stream_start("second"));
  push_segment(harness, {0, 0, 0});
  push_pictures(harness, 2 * kSecond, 4 * kSecond);
  EXPECT_THAT(only(harness.finish(), "caption"), ElementsAre(spoken(0, 5 * kSecond)));
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

TEST(Windows, TheFirstBeginsWithItsPicture) {
  for (const char *properties : {"", "align=cuts"}) {
    GatewayServer gateway;
    CaptionHarness harness(gateway, properties, kTenASecond);
    push_pictures(harness, 2 * kSecond, 6 * kSecond);
    const auto cues = only(harness.finish(), "caption");
    ASSERT_FALSE(cues.empty()) << properties;
    EXPECT_EQ(cues.front().start, 2 * kSecond) << properties;
  }
}

// A decoder hands on a GAP while it holds the segment, and its first picture until downstream has prerolled.
TEST(Gaps, BeforeAnySegmentLetDownstreamPreroll) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  harness.flush();
  const size_t before = only(harness.so_far(), "segment").size();
  const size_t gaps_before = only(harness.so_far(), "gap").size();
  harness.push_event(gst_event_new_gap(4 * kSecond, kSecond));
  // Their times mean nothing, however long nothing else comes.
  harness.push_event(gst_event_new_gap(5 * kSecond, 60 * kSecond));
  g_usleep(1200000);
  const auto all = harness.wait_for("gap", gaps_before + 1);
  EXPECT_EQ(only(all, "segment").size(), before + 1);
  EXPECT_EQ(only(all, "gap").back(), silence(0, 0));
  push_segment(harness, {6 * kSecond, 0, 0});
  push_pictures(harness, 6 * kSecond, 9 * kSecond);
  EXPECT_THAT(only(harness.finish(), "caption"), ElementsAre(spoken(0, 5 * kSecond)));
}

TEST(Gaps, ThatComeBeforeThePicturesOfADecoderTakeNoCaptionItsTime) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  harness.push(kBlack, 0, kOnePicture);
  harness.push_event(gst_event_new_gap(kSecond, 3 * kSecond));
  harness.push_event(gst_event_new_gap(4 * kSecond, 8 * kSecond));
  harness.push(kBlack, 6 * kSecond, kOnePicture);
  harness.push(kBlack, 12 * kSecond, kOnePicture);
  const auto all = harness.finish();
  EXPECT_THAT(only(all, "caption"), ElementsAre(spoken(0, 5 * kSecond), spoken(6 * kSecond, 10 * kSecond),
                                                spoken(10 * kSecond, 15 * kSecond)));
}

TEST(Gaps, TakeTheTimeOfALaterTextUnlessItMayBeShownLater) {
  for (const bool may_be_late : {false, true}) {
    GatewayServer gateway;
    CaptionHarness harness(gateway, may_be_late ? "late-policy=shift" : "", "text/x-raw,format=utf8");
    harness.push_event(gst_event_new_gap(0, 10 * kSecond));
    harness.wait_for("gap", 2);
    harness.push("Da.", 3 * kSecond, 2 * kSecond);
    EXPECT_EQ(only(harness.finish(), "caption").size(), may_be_late ? 1u : 0u);
    EXPECT_EQ(gateway.gateway().calls(), may_be_late ? 1u : 0u);
  }
}

// A muxer may wait for the silence, and the input for the muxer.
TEST(Gaps, BehindThePicturesGoOnWhenTheInputStandsStill) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTenASecond);
  harness.push(kBlack, 0, kOnePicture);
  harness.wait_for("caption");
  harness.push_event(gst_event_new_gap(kOnePicture, 6 * kSecond));
  const auto is_there = [&] {
    const auto all = only(harness.so_far(), "gap");
    return !all.empty() && all.back().end > 6 * kSecond;
  };
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_there() && std::chrono::steady_clock::now() < end) g_usleep(1000);
  EXPECT_TRUE(is_there()) << testing::PrintToString(harness.so_far());
}

}  // namespace
}  // namespace genclip::test
