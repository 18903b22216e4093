// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A single gencaption, which keeps no answers unless `cache` is set: a test pushes any data and sees all
// output.
#pragma once

#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/captioner/caption_run.h"

namespace genclip::test {

constexpr char kUtf8[] = "text/x-raw,format=utf8";

// A gencaption between two pads of the test.
class Harness {
 public:
  Harness(const GatewayServer &gateway, const std::string &properties, const char *caps) {
    const auto element = GRef<GstElement>::adopt(static_cast<GstElement *>(
        gst_object_ref_sink(gst_parse_launch(("gencaption cache=off " + properties).c_str(), nullptr))));
    g_object_set(element.get(), "llm-base-url", gateway.url().c_str(), "api-key", kKey, nullptr);
    show_whole_answers(element.get(), properties);
    gst_element_set_bus(element.get(), bus_.get());
    harness_ = gst_harness_new_with_element(element.get(), "sink", "src");
    gst_harness_set_live(harness_, FALSE);
    gst_harness_set_src_caps_str(harness_, caps);
  }
  ~Harness() {
    // Messages hold the element, and the element its bus.
    gst_bus_set_flushing(bus_.get(), TRUE);
    gst_harness_teardown(harness_);
  }
  Harness(const Harness &) = delete;
  Harness &operator=(const Harness &) = delete;

  GstHarness *get() { return harness_; }
  GstElement *element() { return harness_->element; }

  void begin(const GstSegment &segment) {
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_segment(&segment)));
  }
  GstFlowReturn push(const std::string &bytes, GstClockTime pts, GstClockTime duration) {
    GstBuffer *buffer = gst_buffer_new_allocate(nullptr, bytes.size(), nullptr);
    gst_buffer_fill(buffer, 0, bytes.data(), bytes.size());
    GST_BUFFER_PTS(buffer) = pts;
    GST_BUFFER_DURATION(buffer) = duration;
    return gst_harness_push(harness_, buffer);
  }
  uint64_t stat(const char *name) {
    GstStructure *raw = nullptr;
    g_object_get(element(), "stats", &raw, nullptr);
    const StructurePtr stats(raw);
    guint64 value = 0;
    EXPECT_TRUE(gst_structure_get_uint64(stats.get(), name, &value)) << name;
    return value;
  }
  // Texts of the warnings so far.
  std::vector<std::string> warnings() {
    while (const auto message =
               GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus_.get(), GST_MESSAGE_WARNING))) {
      GError *raw = nullptr;
      gst_message_parse_warning(message.get(), &raw, nullptr);
      warnings_.push_back(GErrorPtr(raw)->message);
    }
    return warnings_;
  }
  // Ends the stream and returns the output until then.
  Cues finish() {
    push_end();
    return output_until_end();
  }
  void push_end() { EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_eos())); }
  Cues output_until_end() {
    for (;;) {
      // Waits for a minute at most.
      GstEvent *event = gst_harness_pull_event(harness_);
      if (!event) break;
      const bool end = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
      gst_event_unref(event);
      if (end) break;
    }
    Cues cues;
    while (GstBuffer *buffer = gst_harness_try_pull(harness_)) {
      cues.push_back({GST_BUFFER_PTS(buffer) / GST_MSECOND,
                      (GST_BUFFER_PTS(buffer) + GST_BUFFER_DURATION(buffer)) / GST_MSECOND, text_of(buffer)});
      gst_buffer_unref(buffer);
    }
    return cues;
  }

 private:
  const GRef<GstBus> bus_ = GRef<GstBus>::adopt(gst_bus_new());
  std::vector<std::string> warnings_;
  GstHarness *harness_ = nullptr;
};

}  // namespace genclip::test
