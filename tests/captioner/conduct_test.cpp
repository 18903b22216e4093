// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gencaption among other elements: what comes in its turn, what upstream and downstream must know, and links
// that are made anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/captioner/caption_harness.h"
#include "tests/captioner/harness.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFrames[] = "video/x-raw,format=RGB,width=64,height=36,framerate=10/1";
std::string picture() { return std::string(size_t{64} * 36 * 3, '\x20'); }

// Running times never fall, or a sink that synchronises holds back all that follows.
TEST(Backwards, EverythingLeavesInTheOrderOfItsRunningTime) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = segment.position = 12 * GST_SECOND;
  const size_t before = harness.wait_for("gap").size();
  harness.push_event(gst_event_new_segment(&segment));
  const auto begun = harness.wait_for("gap", 2);
  for (uint64_t at = 12; at-- > 9;) harness.push(picture(), at * GST_SECOND, GST_SECOND);
  const auto all = harness.finish();
  EXPECT_EQ(only(begun, "gap").size(), 2u) << "downstream prerolls before the first answer";
  EXPECT_EQ(only(all, "caption").size(), 3u);
  GstClockTime last = 0;
  for (size_t i = before; i < all.size(); ++i) {
    const CameOut &one = all[i];
    if (one.what != "gap" && one.what != "caption") continue;
    const GstClockTime time = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, one.end);
    EXPECT_GE(time + 1, last) << one << ": GAPs end a nanosecond before the segment";
    EXPECT_NE(time, GST_CLOCK_TIME_NONE) << one;
    last = time;
  }
}

// The answer comes while nobody is there.
TEST(LinkedAgain, CaptionsGoOn) {
  GatewayServer gateway;
  std::atomic<bool> answers = false;
  gateway.refuse([&answers](const std::string &) {
    while (!answers) g_usleep(1000);
    return false;
  });
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  harness.push(picture(), 0, GST_SECOND);
  GstPad *out = gst_pad_get_peer(harness.get()->sinkpad);
  gst_pad_unlink(out, harness.get()->sinkpad);
  answers = true;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (GST_PAD_TASK(out) && gst_task_get_state(GST_PAD_TASK(out)) == GST_TASK_STARTED &&
         std::chrono::steady_clock::now() < end)
    g_usleep(1000);
  EXPECT_EQ(harness.push(picture(), GST_SECOND, GST_SECOND), GST_FLOW_NOT_LINKED);
  ASSERT_EQ(gst_pad_link(out, harness.get()->sinkpad), GST_PAD_LINK_OK);
  EXPECT_EQ(harness.push(picture(), 2 * GST_SECOND, GST_SECOND), GST_FLOW_OK);
  EXPECT_THAT(only(harness.wait_for("caption"), "caption"), testing::Not(IsEmpty()));
  gst_object_unref(out);
}

GstFlowReturn link_amid_first(GstPad *pad, GstObject *, GstBuffer *buffer) {
  auto *seen = static_cast<std::atomic<int> *>(g_object_get_data(G_OBJECT(pad), "seen"));
  gst_buffer_unref(buffer);
  if (++*seen > 1) return GST_FLOW_OK;
  // Somebody links what lacks behind this pad, after this buffer has found nobody there.
  gst_pad_push_event(pad, gst_event_new_reconfigure());
  return GST_FLOW_NOT_LINKED;
}

// … before the task of the pad has noted that nobody was there.
TEST(LinkedAgain, CaptionsGoOnHoweverFastItWas) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  std::atomic<int> seen = 0;
  g_object_set_data(G_OBJECT(harness.get()->sinkpad), "seen", &seen);
  gst_pad_set_chain_function(harness.get()->sinkpad, link_amid_first);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (uint64_t at = 0; seen < 5 && std::chrono::steady_clock::now() < end; ++at) {
    const auto flow = harness.push(picture(), at * GST_SECOND, GST_SECOND);
    EXPECT_TRUE(flow == GST_FLOW_OK || flow == GST_FLOW_NOT_LINKED) << flow;
  }
  EXPECT_GE(seen, 5);
}

TEST(LinkedAgain, TheSegmentThatCameMeanwhileHolds) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  harness.push_segment(0);
  GstPad *out = gst_pad_get_peer(harness.get()->sinkpad);
  gst_pad_unlink(out, harness.get()->sinkpad);
  std::atomic<bool> is_told = false;
  while (!is_told) is_told = harness.push(picture(), 0, GST_SECOND) == GST_FLOW_NOT_LINKED;
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = 60 * GST_SECOND;
  segment.base = 10 * GST_SECOND;
  harness.push_event(gst_event_new_segment(&segment));
  ASSERT_EQ(gst_pad_link(out, harness.get()->sinkpad), GST_PAD_LINK_OK);
  harness.push(picture(), 60 * GST_SECOND, GST_SECOND);
  const auto captions = only(harness.finish(), "caption");
  ASSERT_FALSE(captions.empty());
  EXPECT_EQ(captions.back().start, 60 * GST_SECOND);
  GstEvent *sent = gst_pad_get_sticky_event(harness.get()->sinkpad, GST_EVENT_SEGMENT, 0);
  ASSERT_TRUE(sent);
  const GstSegment *last = nullptr;
  gst_event_parse_segment(sent, &last);
  EXPECT_EQ(last->base, 10 * GST_SECOND);
  gst_event_unref(sent);
  gst_object_unref(out);
}

// A queue in front stops for good unless it is told.
TEST(LinkedAgain, AQueueInFrontGoesOn) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  GstPad *out = gst_pad_get_peer(harness.get()->sinkpad);
  gst_pad_unlink(out, harness.get()->sinkpad);
  EXPECT_EQ(harness.push(picture(), 0, GST_SECOND), GST_FLOW_NOT_LINKED);
  while (GstEvent *old = gst_harness_try_pull_upstream_event(harness.get())) gst_event_unref(old);
  ASSERT_EQ(gst_pad_link(out, harness.get()->sinkpad), GST_PAD_LINK_OK);
  std::vector<GstEventType> upstream;
  while (GstEvent *event = gst_harness_try_pull_upstream_event(harness.get())) {
    upstream.push_back(GST_EVENT_TYPE(event));
    gst_event_unref(event);
  }
  EXPECT_THAT(upstream, testing::Contains(GST_EVENT_RECONFIGURE));
  gst_object_unref(out);
}

// Captions are renegotiated, the pictures are not.
TEST(LinkedAgain, DoesNotDisturbPicturesThatFlow) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  harness.push(picture(), 0, GST_SECOND);
  harness.wait_for("caption");
  while (GstEvent *old = gst_harness_try_pull_upstream_event(harness.get())) gst_event_unref(old);
  GstPad *out = gst_pad_get_peer(harness.get()->sinkpad);
  gst_pad_send_event(out, gst_event_new_reconfigure());
  EXPECT_EQ(gst_harness_try_pull_upstream_event(harness.get()), nullptr);
  gst_object_unref(out);
}

std::string stream_id(GstHarness *harness) {
  GstEvent *event = gst_pad_get_sticky_event(harness->sinkpad, GST_EVENT_STREAM_START, 0);
  if (!event) return "none";
  const char *id = nullptr;
  gst_event_parse_stream_start(event, &id);
  const std::string copy = id;
  gst_event_unref(event);
  return copy;
}

TEST(StreamIds, AreThoseOfTheStreamsThatComeIn) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kUtf8);
  for (const char *id : {"film/1", "film/2", "film/1"}) {
    harness.push_event(gst_event_new_stream_start(id));
    harness.push_segment(0);
    harness.push("Da.", 0, GST_SECOND);
    harness.push_event(gst_event_new_eos());
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (stream_id(harness.get()) != std::string(id) + "/captions" &&
           std::chrono::steady_clock::now() < deadline)
      g_usleep(1000);
    EXPECT_EQ(stream_id(harness.get()), std::string(id) + "/captions");
  }
}

TEST(AStreamWithoutCaps, GoesOnWithThoseOfCaptions) {
  GatewayServer gateway;
  const auto element = GRef<GstElement>::adopt(
      static_cast<GstElement *>(gst_object_ref_sink(gst_element_factory_make("gencaption", nullptr))));
  g_object_set(element.get(), "llm-base-url", gateway.url().c_str(), "api-key", kKey, nullptr);
  GstHarness *harness = gst_harness_new_with_element(element.get(), "sink", "src");
  gst_harness_play(harness);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness, gst_event_new_stream_start("empty"));
  gst_harness_push_event(harness, gst_event_new_segment(&segment));
  gst_harness_push_event(harness, gst_event_new_eos());
  std::vector<std::string> names;
  while (names.empty() || names.back() != "eos") {
    GstEvent *event = gst_harness_pull_event(harness);
    ASSERT_TRUE(event);
    names.emplace_back(GST_EVENT_TYPE_NAME(event));
    gst_event_unref(event);
  }
  EXPECT_THAT(names, ElementsAre("stream-start", "caps", "segment", "gap", "eos"));
  gst_harness_teardown(harness);
}

GstPadProbeReturn note_query(GstPad *, GstPadProbeInfo *info, gpointer into) {
  if (GST_QUERY_TYPE(GST_PAD_PROBE_INFO_QUERY(info)) == GST_QUERY_DRAIN)
    ++*static_cast<std::atomic<int> *>(into);
  return GST_PAD_PROBE_OK;
}

TEST(Drain, ComesAfterTheCaptionsBeforeIt) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  std::atomic<int> drained = 0;
  gst_pad_add_probe(harness.get()->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, note_query, &drained,
                    nullptr);
  for (uint64_t at = 0; at < 3; ++at) harness.push(picture(), at * GST_SECOND, GST_SECOND);
  GstQuery *query = gst_query_new_drain();
  gst_pad_peer_query(harness.get()->srcpad, query);
  gst_query_unref(query);
  EXPECT_EQ(only(harness.so_far(), "caption").size(), 3u);
  EXPECT_GT(drained, 0);
}

// A camera that changes its format must not wait for the gateway.
TEST(Drain, OfALiveStreamWaitsForNoAnswer) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::hang, 10);
  CaptionHarness harness(gateway, "interval=1000000000", kFrames, true);
  harness.push(picture(), 0, GST_SECOND);
  GstQuery *query = gst_query_new_drain();
  gst_pad_peer_query(harness.get()->srcpad, query);
  gst_query_unref(query);
  EXPECT_THAT(only(harness.so_far(), "caption"), IsEmpty());
}

TEST(Drain, EndsWithAFlush) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::hang, 10);
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  harness.push(picture(), 0, GST_SECOND);
  std::thread drains([&harness] {
    GstQuery *query = gst_query_new_drain();
    gst_pad_peer_query(harness.get()->srcpad, query);
    gst_query_unref(query);
  });
  while (gateway.gateway().calls() == 0) g_usleep(1000);
  harness.push_event(gst_event_new_flush_start());
  drains.join();
  harness.push_event(gst_event_new_flush_stop(TRUE));
}

TEST(Connections, AreNoMoreThanRequestsAtOnce) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000 max-in-flight=2", kFrames);
  for (uint64_t at = 0; at < 200; ++at) harness.push(picture(), at * GST_SECOND, GST_SECOND);
  EXPECT_EQ(only(harness.finish(), "caption").size(), 200u);
  EXPECT_LE(gateway.connections(), 2u);
}

// What a muxer waits for may come after the query.
TEST(Drain, DoesNotWaitForDownstream) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  harness.push(picture(), 0, GST_SECOND);
  harness.wait_for("caption");
  const gulong blocked = gst_pad_add_probe(
      harness.get()->sinkpad,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BLOCK),
      [](GstPad *, GstPadProbeInfo *, gpointer) { return GST_PAD_PROBE_OK; }, nullptr, nullptr);
  harness.push(picture(), GST_SECOND, GST_SECOND);
  GstQuery *query = gst_query_new_drain();
  EXPECT_TRUE(gst_pad_peer_query(harness.get()->srcpad, query));
  gst_query_unref(query);
  gst_pad_remove_probe(harness.get()->sinkpad, blocked);
}

TEST(PadsOfLanguages, AreReleasedAmidFlushes) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "interval=1000000000", kFrames);
  std::atomic<bool> ends = false;
  std::thread flushes([&] {
    while (!ends) harness.flush();
  });
  for (int i = 0; i < 300; ++i) {
    GstPad *pad = gst_element_request_pad_simple(harness.get()->element, "src_de");
    ASSERT_TRUE(pad);
    gst_element_release_request_pad(harness.get()->element, pad);
    gst_object_unref(pad);
  }
  ends = true;
  flushes.join();
}

TEST(AllocationQuery, TellsHowManyFramesAreHeld) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kFrames);
  const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string(kFrames));
  GstQuery *query = gst_query_new_allocation(caps.get(), TRUE);
  ASSERT_TRUE(gst_pad_peer_query(harness.get()->srcpad, query));
  ASSERT_EQ(gst_query_get_n_allocation_pools(query), 1u);
  guint size = 0;
  guint least = 0;
  guint most = 0;
  gst_query_parse_nth_allocation_pool(query, 0, nullptr, &size, &least, &most);
  EXPECT_EQ(size, 64u * 36 * 3);
  EXPECT_GE(least, 5u) << "four that wait and the one at the encoder";
  EXPECT_EQ(most, 0u);
  gst_query_unref(query);
}

}  // namespace
}  // namespace genclip::test
