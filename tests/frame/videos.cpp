// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/frame/videos.h"

#include <gst/gst.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "plugin/base/gref.h"
#include "tests/frame/pixels.h"
#include "tests/support/give_up.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr int kSide = 32;
constexpr int kDarkest = 10;
constexpr int kStep = 12;

}  // namespace

void run_pipeline(const std::string &description) {
  GErrorPtr error;
  GstElement *parsed = gst_parse_launch(description.c_str(), take(error));
  if (!parsed || error) give_up(description + ": " + (error ? error->message : "?"));
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(parsed)));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  const auto end = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (!end || GST_MESSAGE_TYPE(end.get()) != GST_MESSAGE_EOS) give_up(description + " fails");
}

void make_video(const std::string &path, const std::string &rate, const std::string &encoder_and_muxer,
                const std::string &more) {
  const TemporaryFolder folder;
  std::ofstream raw(folder.file("raw"), std::ios::binary);
  for (int i = 0; i < kFrames; ++i)
    raw << std::string(size_t{kSide} * kSide * 3, static_cast<char>(kDarkest + i * kStep));
  raw.close();
  run_pipeline("filesrc location=" + folder.file("raw") +
               " ! rawvideoparse format=rgb width=32 height=32 framerate=" + rate + " ! videoconvert ! " +
               encoder_and_muxer + " name=mux ! filesink location=" + path + " " + more);
}

int frame_number(const std::string &png) {
  const Pixels pixels = pixels_of(png);
  const double grey = pixels.at(pixels.width / 2, pixels.height / 2)[1];
  const double number = (grey - kDarkest) / kStep;
  return std::abs(number - std::round(number)) < 0.3 ? static_cast<int>(std::round(number)) : -1;
}

}  // namespace genclip::test
