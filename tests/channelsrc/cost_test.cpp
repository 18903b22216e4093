// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What playout costs beside the decoder that it needs.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/channelsrc/stand.h"
#include "tests/support/sanitized.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

double cpu_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

constexpr unsigned kFrames = 150;

// Of decoding the file alone.
double decoder_cost(const std::string &path) {
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(
      ("filesrc location=" + path +
       " ! decodebin name=d d. ! video/x-raw ! queue ! fakesink sync=false d. ! audio/x-raw ! queue ! "
       "fakesink sync=false")
          .c_str(),
      nullptr))));
  const double begin = cpu_seconds();
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  GstMessage *end = gst_bus_timed_pop_filtered(
      bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  EXPECT_TRUE(end && GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS);
  if (end) gst_message_unref(end);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return cpu_seconds() - begin;
}

}  // namespace

TEST(Cost, OfPlayoutAt720p25IsTheDecodersAndAQuarterOfACoreAtMost) {
  if (!measures_time()) GTEST_SKIP() << "the suite timing measures";
  TemporaryFolder folder;
  const std::string path = folder.file("clip.mp4");
  make_marked_media(path, {.frames = kFrames, .size = "width=1280,height=720"});
  const double decoder = decoder_cost(path);
  Stand stand({.video = "video/x-raw,format=I420,width=1280,height=720,framerate=25/1",
               .speed = 1,
               .latency_ms = 500});
  const CueId cue = stand.stage().cue(media_of(path), kFrames);
  const double begin = cpu_seconds();
  stand.stage().take(cue, 5, kFrames);
  stand.stage().end(kFrames + 5);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_end();
  const double cost = cpu_seconds() - begin;
  const double seconds = (kFrames + 5) / 25.0;
  stand.expect_clip(1, 5, kFrames);
  RecordProperty("core", std::to_string(cost / seconds));
  RecordProperty("decoder", std::to_string(decoder / seconds));
  std::printf("playout %.3f core, of which the decoder %.3f\n", cost / seconds, decoder / seconds);
  // A sanitizer's own work is no cost of playout.
  EXPECT_LT((cost - decoder) / seconds, kIsSanitized ? 1 : 0.25);
}

}  // namespace genclip::test
