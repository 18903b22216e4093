// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A repeated request within a run is not paid for a second time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/captioner/harness.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kGreys[] = "video/x-raw,format=RGB,width=4,height=4,framerate=2/1";

// Another grey each second.
std::string picture_at(unsigned half_second) {
  return std::string(48, static_cast<char>(20 * (half_second / 2)));
}

// Half-seconds [from, to) of a film.
void push_film(Harness &harness, unsigned from, unsigned to) {
  for (unsigned half = from; half < to; ++half)
    ASSERT_EQ(harness.push(picture_at(half), half * GST_SECOND / 2, GST_SECOND / 2), GST_FLOW_OK);
}

// Like a seek with GST_SEEK_FLAG_SEGMENT: the same stream time at increasing running times.
void push_pass(Harness &harness, unsigned pass, unsigned seconds) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.stop = seconds * GST_SECOND;
  segment.base = pass * segment.stop;
  harness.begin(segment);
  push_film(harness, 0, 2 * seconds);
  gst_harness_push_event(harness.get(), gst_event_new_segment_done(GST_FORMAT_TIME, segment.stop));
}

TEST(Again, EachPassOfASegmentLoopHasItsCaptionsAndIsPaidOnce) {
  for (const char *properties : {"", "max-in-flight=1", "frames=2", "stream=true", "context=2"}) {
    GatewayServer gateway;
    Harness harness(gateway, std::string("interval=1000000000 ") + properties, kGreys);
    for (unsigned pass = 0; pass < 4; ++pass) push_pass(harness, pass, 3);
    const Cues cues = harness.finish();
    ASSERT_FALSE(cues.empty()) << properties;
    ASSERT_EQ(cues.size() % 4, 0u) << properties;
    const auto one_pass = static_cast<std::ptrdiff_t>(cues.size() / 4);
    for (std::ptrdiff_t pass = 1; pass < 4; ++pass)
      EXPECT_TRUE(std::equal(cues.begin(), cues.begin() + one_pass, cues.begin() + pass * one_pass))
          << properties;
    EXPECT_EQ(gateway.gateway().calls(), 3u) << properties;
    EXPECT_EQ(harness.stat("requests"), 3u) << properties;
    EXPECT_EQ(harness.stat("captions"), cues.size()) << properties;
    EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  }
}

TEST(Again, AWindowThatIsBeingAskedAboutIsNotAskedAboutBeside) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(200), .between = {}});
  Harness harness(gateway, "interval=1000000000 max-in-flight=8", kGreys);
  for (unsigned pass = 0; pass < 6; ++pass) push_pass(harness, pass, 1);
  EXPECT_THAT(harness.finish(), SizeIs(6));
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

// Each text stands twice in a row; the store does not know their times, so each pair is one question.
void push_pairs(Harness &harness, const std::vector<std::string> &texts) {
  for (unsigned i = 0; i < 2 * texts.size(); ++i)
    ASSERT_EQ(harness.push(texts[i / 2], i * GST_SECOND, GST_SECOND), GST_FLOW_OK);
}

bool wait_for_calls(GatewayServer &gateway, unsigned calls) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (gateway.gateway().calls() < calls) {
    if (std::chrono::steady_clock::now() >= end) return false;
    g_usleep(1000);
  }
  return true;
}

TEST(Again, AWindowThatIsBeingAskedAboutHoldsUpNoLaterOne) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::hang, 1);
  Harness harness(gateway, "cache=read max-in-flight=2", kUtf8);
  push_pairs(harness, {"Eins.", "Zwei."});
  EXPECT_TRUE(wait_for_calls(gateway, 2)) << "the first answer has not come";
}

TEST(Again, AWindowThatAwaitsAnotherOnesAnswerIsStillBeforeLaterOnesInABudget) {
  for (int round = 0; round < 5; ++round) {
    GatewayServer gateway;
    gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(100), .between = {}});
    gateway.fault(sim::GatewayFaultKind::blocked, 1, 0, "SAFETY");
    Harness harness(gateway, "cache=read max-in-flight=3 max-requests=2 on-error=skip", kUtf8);
    push_pairs(harness, {"Eins.", "Zwei."});
    EXPECT_EQ(harness.finish(), Cues({{1000, 2000, "EINS."}}));
    EXPECT_EQ(gateway.gateway().calls(), 2u);
  }
}

TEST(Again, AWindowThatAwaitsAnotherOnesAnswerTakesNothingOfABudget) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(50), .between = {}});
  Harness harness(gateway, "cache=read max-in-flight=2 max-requests=3", kUtf8);
  push_pairs(harness, {"Eins.", "Zwei.", "Drei."});
  EXPECT_THAT(harness.finish(), SizeIs(6));
  EXPECT_THAT(harness.warnings(), IsEmpty());
  EXPECT_EQ(gateway.gateway().calls(), 3u);
}

TEST(Again, WhatIsKnownTakesNothingOfABudget) {
  GatewayServer gateway;
  Harness harness(gateway, "interval=1000000000 max-requests=2 max-in-flight=4", kGreys);
  for (unsigned pass = 0; pass < 3; ++pass) push_pass(harness, pass, 2);
  EXPECT_THAT(harness.finish(), SizeIs(6));
  EXPECT_THAT(harness.warnings(), IsEmpty());
  EXPECT_EQ(harness.stat("skipped"), 0u);
}

TEST(Again, AnAnswerThatFailedIsAskedForOnceMore) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::blocked, 1, 0, "SAFETY");
  Harness harness(gateway, "interval=1000000000 on-error=skip", kGreys);
  for (unsigned pass = 0; pass < 3; ++pass) push_pass(harness, pass, 1);
  EXPECT_THAT(harness.finish(), SizeIs(2));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
}

TEST(Again, AnotherPromptIsAnotherQuestion) {
  GatewayServer gateway;
  Harness harness(gateway, "interval=1000000000 prompt=before", kGreys);
  push_pass(harness, 0, 1);
  g_object_set(harness.element(), "prompt", "after", nullptr);
  push_pass(harness, 1, 1);
  EXPECT_THAT(harness.finish(), SizeIs(2));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
}

TEST(Again, ASeekBackIsAnsweredFromWhatIsKnown) {
  GatewayServer gateway;
  Harness harness(gateway, "interval=1000000000", kGreys);
  push_film(harness, 0, 4);
  for (int i = 0; i < 2; ++i) {
    GstBuffer *caption = gst_harness_pull(harness.get());
    ASSERT_TRUE(caption);
    gst_buffer_unref(caption);
  }
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  harness.begin(segment);
  push_film(harness, 0, 4);
  EXPECT_THAT(harness.finish(), SizeIs(2));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
}

TEST(Again, PicturesThatJumpBackWithoutASegmentAreNotAskedAbout) {
  GatewayServer gateway;
  Harness harness(gateway, "interval=1000000000 frames=2", kGreys);
  push_film(harness, 0, 6);
  push_film(harness, 1, 6);
  push_film(harness, 3, 8);
  const Cues cues = harness.finish();
  ASSERT_THAT(cues, SizeIs(4));
  for (unsigned s = 0; s < 4; ++s) EXPECT_EQ(cues[s].start, 1000 * s);
  EXPECT_EQ(gateway.gateway().calls(), 4u);
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

TEST(Again, PicturesPlayedBackwardsThatJumpAheadAreNotAskedAbout) {
  GatewayServer gateway;
  Harness harness(gateway, "interval=1000000000", kGreys);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = 3 * GST_SECOND;
  harness.begin(segment);
  for (const unsigned half : {5u, 4u, 3u, 2u, 4u, 3u, 2u, 1u, 0u})
    ASSERT_EQ(harness.push(picture_at(half), half * GST_SECOND / 2, GST_SECOND / 2), GST_FLOW_OK);
  EXPECT_THAT(harness.finish(), SizeIs(3));
  EXPECT_EQ(gateway.gateway().calls(), 3u);
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

TEST(Again, TextsThatJumpBackWithoutASegmentAreNotPaidFor) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Eins.", 0, GST_SECOND);
  harness.push("Zwei.", 2 * GST_SECOND, GST_SECOND);
  harness.push("Eins.", 0, GST_SECOND);
  harness.push("Null.", GST_SECOND, GST_SECOND);
  harness.push("Drei.", 4 * GST_SECOND, GST_SECOND);
  EXPECT_EQ(harness.finish(), Cues({{0, 1000, "EINS."}, {2000, 3000, "ZWEI."}, {4000, 5000, "DREI."}}));
  EXPECT_EQ(gateway.gateway().calls(), 3u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("than the text before it")));
  EXPECT_EQ(harness.stat("skipped"), 2u);
}

bool is_live(Harness &harness) {
  const auto query = GRef<GstQuery>::adopt(gst_query_new_latency());
  const auto src = GRef<GstPad>::adopt(gst_element_get_static_pad(harness.element(), "src"));
  EXPECT_TRUE(gst_pad_query(src.get(), query.get()));
  gboolean live = FALSE;
  gst_query_parse_latency(query.get(), &live, nullptr, nullptr);
  return live;
}

// While the gateway hangs: live, texts without a worker are dropped; otherwise they wait.
TEST(Liveness, IsLookedUpAtEachSegmentAndWithEachChangeOfLatency) {
  for (const char *reason : {"segment", "latency event", "latency query"}) {
    GatewayServer gateway;
    gateway.fault(sim::GatewayFaultKind::hang, 0);
    Harness harness(gateway, "max-in-flight=1 latency=60000", kUtf8);
    ASSERT_EQ(harness.push("Eins.", 0, GST_SECOND), GST_FLOW_OK);
    while (gateway.gateway().calls() == 0) g_usleep(1000);
    gst_harness_set_live(harness.get(), TRUE);
    if (reason == std::string("segment")) {
      GstSegment segment;
      gst_segment_init(&segment, GST_FORMAT_TIME);
      segment.base = GST_SECOND;
      harness.begin(segment);
    } else if (reason == std::string("latency event")) {
      gst_harness_push_upstream_event(harness.get(), gst_event_new_latency(GST_SECOND));
    } else {
      EXPECT_TRUE(is_live(harness));
    }
    // It would wait forever if this were not live.
    auto pushed = std::async(std::launch::async, [&] {
      for (unsigned i = 1; i < 4; ++i) harness.push("Mehr.", i * GST_SECOND, GST_SECOND);
    });
    EXPECT_EQ(pushed.wait_for(kPatience), std::future_status::ready) << reason;
    if (HasFailure()) gst_harness_push_event(harness.get(), gst_event_new_flush_start());
    pushed.wait();
    EXPECT_GE(harness.stat("skipped"), 1u) << reason;
  }
}

// Upstream reversed the data: timestamps increase, and stream time decreases.
TEST(Backwards, AnAppliedRateBelowZeroHasItsCaptions) {
  for (const double rate : {1.0, 2.0}) {
    GatewayServer gateway;
    Harness harness(gateway, "interval=1000000000", kGreys);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.applied_rate = -rate;
    segment.stop = static_cast<guint64>(4 * GST_SECOND / rate);
    segment.time = 4 * GST_SECOND;
    harness.begin(segment);
    for (unsigned half = 0; half < 8; ++half)
      ASSERT_EQ(harness.push(picture_at(7 - half), static_cast<guint64>(half * GST_SECOND / 2 / rate),
                             static_cast<guint64>(GST_SECOND / 2 / rate)),
                GST_FLOW_OK);
    const Cues cues = harness.finish();
    ASSERT_THAT(cues, SizeIs(4)) << rate;
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(cues[i].start, static_cast<unsigned>(1000 * i / rate)) << rate;
      EXPECT_EQ(cues[i].end, static_cast<unsigned>(1000 * (i + 1) / rate)) << rate;
    }
    EXPECT_EQ(gateway.gateway().calls(), 4u);
  }
}

}  // namespace
}  // namespace genclip::test
