// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A flush drops data in progress, but not events that upstream sends only once.
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/captioner/caption_run.h"

namespace genclip::test {
namespace {

GstPadProbeReturn hold(GstPad *, GstPadProbeInfo *, gpointer reached) {
  static_cast<std::atomic<bool> *>(reached)->store(true);
  return GST_PAD_PROBE_OK;
}

TEST(Flush, KeepsTheStartAndTheCapsThatDidNotGoOutYet) {
  GatewayServer gateway;
  const auto element = GRef<GstElement>::adopt(
      static_cast<GstElement *>(gst_object_ref_sink(gst_element_factory_make("gencaption", nullptr))));
  g_object_set(element.get(), "llm-base-url", gateway.url().c_str(), "api-key", kKey, nullptr);
  gst_util_set_object_arg(G_OBJECT(element.get()), "cache", "off");
  const auto src = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "src"));
  std::atomic<bool> reached = false;
  const gulong probe = gst_pad_add_probe(
      src.get(), static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      hold, &reached, nullptr);

  GstHarness *harness = gst_harness_new_with_element(element.get(), "sink", "src");
  gst_harness_set_live(harness, FALSE);
  gst_harness_set_src_caps_str(harness, "text/x-raw,format=utf8");
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!reached && std::chrono::steady_clock::now() < end) g_usleep(1000);
  ASSERT_TRUE(reached) << "the first event is on its way, the others wait behind it";

  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_flush_start()));
  gst_pad_remove_probe(src.get(), probe);
  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE)));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_segment(&segment)));
  GstBuffer *text = gst_buffer_new_memdup("hello", 5);
  GST_BUFFER_PTS(text) = 0;
  GST_BUFFER_DURATION(text) = GST_SECOND;
  EXPECT_EQ(gst_harness_push(harness, text), GST_FLOW_OK);
  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_eos()));
  GstBuffer *caption = gst_harness_pull(harness);
  EXPECT_NE(caption, nullptr);
  gst_clear_buffer(&caption);
  for (const GstEventType type : {GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT}) {
    GstEvent *event = gst_pad_get_sticky_event(harness->sinkpad, type, 0);
    EXPECT_NE(event, nullptr) << gst_event_type_get_name(type);
    gst_clear_event(&event);
  }
  gst_harness_teardown(harness);
}

// The first event is being sent when the flush comes; the others wait behind it.
TEST(Flush, KeepsAllThatLastsInItsOrderAndNothingElse) {
  GatewayServer gateway;
  const auto element = GRef<GstElement>::adopt(
      static_cast<GstElement *>(gst_object_ref_sink(gst_element_factory_make("gencaption", nullptr))));
  g_object_set(element.get(), "llm-base-url", gateway.url().c_str(), "api-key", kKey, nullptr);
  gst_util_set_object_arg(G_OBJECT(element.get()), "cache", "off");
  const auto src = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "src"));
  std::atomic<bool> reached = false;
  const gulong probe = gst_pad_add_probe(
      src.get(), static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      hold, &reached, nullptr);
  GstHarness *harness = gst_harness_new_with_element(element.get(), "sink", "src");
  gst_harness_set_live(harness, FALSE);
  gst_harness_set_src_caps_str(harness, "text/x-raw,format=utf8");
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!reached && std::chrono::steady_clock::now() < end) g_usleep(1000);
  ASSERT_TRUE(reached);
  GstTagList *tags = gst_tag_list_new(GST_TAG_TITLE, "Film", nullptr);
  gst_tag_list_set_scope(tags, GST_TAG_SCOPE_GLOBAL);
  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_tag(tags)));
  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_eos()));

  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_flush_start()));
  gst_pad_remove_probe(src.get(), probe);
  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE)));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = 5 * GST_SECOND;
  EXPECT_TRUE(gst_harness_push_event(harness, gst_event_new_segment(&segment)));
  std::vector<std::string> order;
  GstClockTime start = 0;
  while (order.empty() || order.back() != "gap") {
    GstEvent *event = gst_harness_pull_event(harness);
    ASSERT_NE(event, nullptr);
    order.emplace_back(GST_EVENT_TYPE_NAME(event));
    const GstSegment *told = nullptr;
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
      gst_event_parse_segment(event, &told);
      start = told->start;
    }
    gst_event_unref(event);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"flush-start", "flush-stop", "stream-start", "caps", "segment",
                                             "tag", "gap"}));
  EXPECT_EQ(start, 5 * GST_SECOND) << "the segment of before is no more";
  gst_harness_teardown(harness);
}

}  // namespace
}  // namespace genclip::test
