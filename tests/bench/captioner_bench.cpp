// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What gencaption costs on 1080p60 video that passes without being sampled (< 2 % of one core), and what a
// still costs, and the search for cuts. Fails when it is more.
#include <gst/gst.h>
#include <gst/video/video.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "plugin/base/element_call.h"
#include "plugin/caption/frame_encoder.h"

namespace {

using namespace genclip;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

Picture frame_1080p() {
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, 1920, 1080);
  info.fps_n = 60;
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, info.size, nullptr));
  GstMapInfo map;
  gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; ++i) map.data[i] = static_cast<guint8>(i * 7 + (i >> 11) * 13);
  gst_buffer_unmap(buffer.get(), &map);
  return {buffer, GRef<GstCaps>::adopt(gst_video_info_to_caps(&info))};
}

// CPU seconds for each second of 1080p60, with a sampling interval of a day: no frame but the first is kept.
// `element`: what stands between source and sink.
double cost_of(const char *element, const Picture &frame, int seconds) {
  GstElement *pipeline = gst_parse_launch(
      (std::string("appsrc name=in format=time ! ") + element + " ! fakesink sync=false async=false").c_str(),
      nullptr);
  GstElement *in = gst_bin_get_by_name(GST_BIN(pipeline), "in");
  g_object_set(in, "caps", frame.caps.get(), "max-bytes", guint64{0}, nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(in, "src"));
  // The first frame, which is sampled, is not counted.
  const double begin = cpu_seconds();
  for (int i = 0; i < 60 * seconds; ++i) {
    // The same memory, a buffer of its own.
    GstBuffer *buffer = gst_buffer_copy(frame.buffer.get());
    GST_BUFFER_PTS(buffer) = gst_util_uint64_scale_int(static_cast<guint64>(i), GST_SECOND, 60);
    GST_BUFFER_DURATION(buffer) = GST_SECOND / 60;
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(in, "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  GstFlowReturn flow = GST_FLOW_OK;
  g_signal_emit_by_name(in, "end-of-stream", &flow);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline));
  const auto end = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  const double cost = (cpu_seconds() - begin) / seconds;
  if (!end || GST_MESSAGE_TYPE(end.get()) != GST_MESSAGE_EOS) {
    std::fprintf(stderr, "%s did not end well\n", element);
    std::exit(1);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(in);
  gst_object_unref(pipeline);
  return cost;
}

double median_ms(int runs, const auto &run) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const double begin = cpu_seconds();
    run();
    times.push_back((cpu_seconds() - begin) * 1000);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const Picture frame = frame_1080p();
  // Nobody answers at that address: the one window fails, and is skipped.
  const char *captioner =
      "gencaption cache=off interval=86400000000000 on-error=skip retries=0 api-key=k "
      "llm-base-url=http://127.0.0.1:1";
  constexpr int kSeconds = 200;
  const double plain = cost_of("identity silent=true", frame, kSeconds);
  const double captioned = cost_of(captioner, frame, kSeconds);
  std::printf(
      "1080p60 that passes: %.3f %% of a core with identity, %.3f %% with gencaption (at most 2 %%)\n",
      plain * 100, captioned * 100);

  const double cuts = cost_of((std::string(captioner) + " align=cuts").c_str(), frame, 5);
  std::printf("With align=cuts: %.2f ms of CPU for each picture\n", (cuts - captioned) * 1000 / 60);

  const double still = median_ms(40, [&] { (void)encode_still(frame, 768); });
  GstVideoInfo small;
  gst_video_info_set_format(&small, GST_VIDEO_FORMAT_I420, 768, 432);
  small.fps_n = 1;
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, small.size, nullptr));
  gst_buffer_memset(buffer.get(), 0, 0x55, small.size);
  const auto caps = GRef<GstCaps>::adopt(gst_video_info_to_caps(&small));
  const double jpeg = median_ms(40, [&] { (void)call_element("jpegenc", caps.get(), buffer.get()); });
  const double thumbnail = median_ms(40, [&] { (void)make_thumbnail(frame); });
  std::printf(
      "A still of 1080p at 768: %.2f ms of CPU (a flat JPEG of that size alone: %.2f ms); to compare scenes: "
      "%.2f ms\n",
      still, jpeg, thumbnail);
  return captioned < 0.02 ? 0 : 1;
}
