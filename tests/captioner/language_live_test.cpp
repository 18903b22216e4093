// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The pads of languages of a live stream.
#include <gtest/gtest.h>

#include "tests/captioner/caption_run.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

// What a muxer sees of each pad: time that ascends without a hole, as captions or as silence.
struct Seen {
  Mutex mutex;
  uint64_t until GUARDED_BY(mutex) = 0;
  bool has_hole GUARDED_BY(mutex) = false;
};

GstPadProbeReturn see(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto &seen = *static_cast<Seen *>(data);
  GstClockTime start = 0;
  GstClockTime length = 0;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    start = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
    length = GST_BUFFER_DURATION(GST_PAD_PROBE_INFO_BUFFER(info));
  } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_GAP) {
    gst_event_parse_gap(GST_PAD_PROBE_INFO_EVENT(info), &start, &length);
  } else {
    return GST_PAD_PROBE_OK;
  }
  MutexLock lock(seen.mutex);
  if (start != seen.until) seen.has_hole = true;
  seen.until = start + length;
  return GST_PAD_PROBE_OK;
}

// A gateway that hangs: each pad has its silence, and the picture goes on.
TEST(LiveLanguagePads, AreSilentWhileTheGatewayHangs) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::hang, 0);
  CaptionRun run(
      gateway,
      "videotestsrc is-live=true ! "
      "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap latency=300 "
      "interval=500000000 on-error=skip  cap.src_de ! fakesink name=a  cap.src_en ! fakesink name=b");
  Seen seen[2];
  const char *pads[] = {"src_de", "src_en"};
  for (int i = 0; i < 2; ++i) {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), pads[i]));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see, &seen[i], nullptr);
  }
  run.go(GST_STATE_PLAYING);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (Seen &one : seen)
    for (bool done = false; !done && std::chrono::steady_clock::now() < end; g_usleep(5000)) {
      MutexLock lock(one.mutex);
      done = one.until > 2 * GST_SECOND;
    }
  EXPECT_LT(run.time_to_null(), time_limit(std::chrono::milliseconds(500)));
  for (Seen &one : seen) {
    MutexLock lock(one.mutex);
    EXPECT_GT(one.until, 2 * GST_SECOND);
    EXPECT_FALSE(one.has_hole);
  }
}

TEST(LiveLanguagePads, SayTheLatency) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "videotestsrc is-live=true ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
                 "gencaption name=cap latency=700 cap.src_de ! fakesink  cap.src_en ! fakesink");
  run.go(GST_STATE_PLAYING);
  for (const char *name : {"src_de", "src_en"}) {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), name));
    const auto query = GRef<GstQuery>::adopt(gst_query_new_latency());
    // The source cannot answer before it has its frame rate.
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!gst_pad_query(pad.get(), query.get()) && std::chrono::steady_clock::now() < end) g_usleep(1000);
    gboolean live = FALSE;
    GstClockTime min = 0;
    gst_query_parse_latency(query.get(), &live, &min, nullptr);
    EXPECT_TRUE(live) << name;
    EXPECT_GE(min, 700 * GST_MSECOND) << name;
  }
}

}  // namespace
}  // namespace genclip::test
