// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GstHarness, and a probe that records its data.
#include "tests/captioner/caption_harness.h"

#include <algorithm>

namespace genclip::test {

CaptionHarness::CaptionHarness(const GatewayServer &gateway, const std::string &properties, const char *caps,
                               bool live) {
  const auto element = GRef<GstElement>::adopt(static_cast<GstElement *>(
      gst_object_ref_sink(gst_parse_launch(("gencaption cache=off " + properties).c_str(), nullptr))));
  g_object_set(element.get(), "llm-base-url", gateway.url().c_str(), "api-key", kKey, nullptr);
  show_whole_answers(element.get(), properties);
  const auto src = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "src"));
  gst_pad_add_probe(
      src.get(),
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_BUFFER), on_data,
      this, nullptr);
  harness_ = gst_harness_new_with_element(element.get(), "sink", "src");
  gst_harness_set_live(harness_, live);
  gst_harness_set_src_caps_str(harness_, caps);
}

CaptionHarness::~CaptionHarness() { gst_harness_teardown(harness_); }

GstPadProbeReturn CaptionHarness::on_data(GstPad *, GstPadProbeInfo *info, gpointer harness) {
  auto *self = static_cast<CaptionHarness *>(harness);
  MutexLock lock(self->mutex_);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    self->out_.push_back({"caption", GST_BUFFER_PTS(buffer),
                          GST_BUFFER_PTS(buffer) + GST_BUFFER_DURATION(buffer), text_of(buffer)});
    return GST_PAD_PROBE_OK;
  }
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  CameOut one{GST_EVENT_TYPE_NAME(event)};
  if (GST_EVENT_TYPE(event) == GST_EVENT_GAP) {
    GstClockTime length = 0;
    gst_event_parse_gap(event, &one.start, &length);
    one.end = one.start + length;
  }
  self->out_.push_back(one);
  return GST_PAD_PROBE_OK;
}

GstFlowReturn CaptionHarness::push(const std::string &bytes, GstClockTime pts, GstClockTime duration) {
  GstBuffer *buffer = gst_buffer_new_memdup(bytes.data(), bytes.size());
  GST_BUFFER_PTS(buffer) = pts;
  GST_BUFFER_DURATION(buffer) = duration;
  return gst_harness_push(harness_, buffer);
}

bool CaptionHarness::push_segment(GstClockTime start, GstClockTime stop) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = start;
  segment.stop = stop;
  return push_event(gst_event_new_segment(&segment));
}

void CaptionHarness::flush() {
  push_event(gst_event_new_flush_start());
  push_event(gst_event_new_flush_stop(TRUE));
}

std::vector<CameOut> CaptionHarness::so_far() {
  MutexLock lock(mutex_);
  return out_;
}

std::vector<CameOut> CaptionHarness::wait_for(const std::string &what, size_t count) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (only(so_far(), what).size() < count && std::chrono::steady_clock::now() < end) g_usleep(1000);
  return so_far();
}

bool CaptionHarness::wait_for_stat(const char *name, uint64_t least) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (guint64 value = 0; std::chrono::steady_clock::now() < end; g_usleep(1000)) {
    GstStructure *raw = nullptr;
    g_object_get(harness_->element, "stats", &raw, nullptr);
    const StructurePtr stats(raw);
    if (gst_structure_get_uint64(stats.get(), name, &value) && value >= least) return true;
  }
  return false;
}

std::vector<CameOut> CaptionHarness::finish() {
  push_event(gst_event_new_eos());
  return wait_for("eos");
}

std::vector<CameOut> only(const std::vector<CameOut> &all, const std::string &what) {
  std::vector<CameOut> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const CameOut &one) { return one.what == what; });
  return some;
}

}  // namespace genclip::test
