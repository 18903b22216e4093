// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/frame/pixels.h"

#include <gst/video/video.h>

#include "plugin/base/element_call.h"
#include "plugin/base/mapped_frame.h"
#include "tests/support/give_up.h"

namespace genclip::test {

Pixels pixels_of(const std::string &png) {
  const auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_memdup(png.data(), png.size()));
  const auto caps = GRef<GstCaps>::adopt(gst_caps_new_empty_simple("image/png"));
  const auto raw = call_element("pngdec", caps.get(), buffer.get());
  if (!raw) give_up(raw.error().text);
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, raw->caps.get())) give_up("no caps");
  MappedFrame frame(info, raw->buffer.get(), GST_MAP_READ);
  Pixels pixels{gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info)), info.width, info.height, {}};
  const bool has_alpha = GST_VIDEO_INFO_HAS_ALPHA(&info);
  for (int y = 0; y < info.height; ++y)
    for (int x = 0; x < info.width; ++x) {
      const auto value = [&](guint component) {
        const auto *data = static_cast<const guint8 *>(GST_VIDEO_FRAME_COMP_DATA(frame.get(), component));
        return int{data[y * GST_VIDEO_FRAME_COMP_STRIDE(frame.get(), component) +
                        x * GST_VIDEO_FRAME_COMP_PSTRIDE(frame.get(), component)]};
      };
      pixels.colours.push_back({value(0), value(1), value(2), has_alpha ? value(3) : 255});
    }
  return pixels;
}

}  // namespace genclip::test
