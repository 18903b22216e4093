// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/gateway_picture.h"

#include <gst/app/app.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <array>
#include <limits>

#include "plugin/base/gref.h"

namespace genclip::sim {
namespace {

struct NamedColour {
  const char *name;
  double red, green, blue;
};

constexpr std::array<NamedColour, 14> kColours = {{
    {"black", 0, 0, 0},
    {"grey", 128, 128, 128},
    {"white", 255, 255, 255},
    {"red", 255, 0, 0},
    {"dark red", 128, 0, 0},
    {"orange", 255, 128, 0},
    {"yellow", 255, 255, 0},
    {"green", 0, 255, 0},
    {"dark green", 0, 128, 0},
    {"cyan", 0, 255, 255},
    {"blue", 0, 0, 255},
    {"dark blue", 0, 0, 128},
    {"magenta", 255, 0, 255},
    {"purple", 128, 0, 128},
}};

Error no_picture() { return {ErrorKind::wrong_type, "inlineData.data is not a JPEG"}; }

// Null when the bytes cannot be decoded.
GRef<GstSample> decode(std::string_view bytes) {
  const auto pipeline =
      GRef<GstElement>::adopt(static_cast<GstElement *>(gst_object_ref_sink(gst_parse_launch(
          "appsrc name=in caps=image/jpeg format=time ! jpegdec ! videoconvert ! video/x-raw,format=RGB ! "
          "appsink name=out sync=false",
          nullptr))));
  const auto in = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "in"));
  const auto out = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  GstBuffer *buffer = gst_buffer_new_memdup(bytes.data(), bytes.size());
  GST_BUFFER_PTS(buffer) = 0;
  gst_app_src_push_buffer(GST_APP_SRC(in.get()), buffer);
  gst_app_src_end_of_stream(GST_APP_SRC(in.get()));
  // The sink does not notice a failing stream, which ends in an error; so this waits only for a while.
  auto sample = GRef<GstSample>::adopt(gst_app_sink_try_pull_sample(GST_APP_SINK(out.get()), 5 * GST_SECOND));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return sample;
}

}  // namespace

std::string colour_name(double red, double green, double blue) {
  const char *name = "";
  double least = std::numeric_limits<double>::max();
  for (const NamedColour &colour : kColours) {
    const double r = red - colour.red, g = green - colour.green, b = blue - colour.blue;
    const double distance = r * r + g * g + b * b;
    if (distance >= least) continue;
    least = distance;
    name = colour.name;
  }
  return name;
}

Result<SeenPicture> look_at_jpeg(std::string_view bytes) {
  if (!bytes.starts_with("\xFF\xD8\xFF") || !bytes.ends_with("\xFF\xD9")) return no_picture();
  const auto sample = decode(bytes);
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!sample || !gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get())) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample.get()), GST_MAP_READ))
    return no_picture();
  std::array<double, 3> sums{};
  for (int y = 0; y < info.height; ++y) {
    const auto *row = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                      static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    for (int x = 0; x < 3 * info.width; ++x) sums[static_cast<size_t>(x % 3)] += row[x];
  }
  gst_video_frame_unmap(&frame);
  const double pixels = static_cast<double>(info.width) * info.height;
  return SeenPicture{info.width, info.height,
                     colour_name(sums[0] / pixels, sums[1] / pixels, sums[2] / pixels)};
}

}  // namespace genclip::sim
