// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/over_black.h"

#include <gst/video/video.h>

#include <algorithm>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

void lay_line_over_black(guint8 *pixel, int width) {
  constexpr int kOpaque = 255;
  for (int x = 0; x < width; ++x, pixel += 4) {
    const int alpha = pixel[0];
    if (alpha == kOpaque) continue;
    std::transform(pixel + 1, pixel + 4, pixel + 1, [alpha](guint8 colour) {
      return static_cast<guint8>((colour * alpha + kOpaque / 2) / kOpaque);
    });
    pixel[0] = kOpaque;
  }
}

GstPadProbeReturn lay(GstPad *pad, GstPadProbeInfo *info, gpointer) {
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  info->data = buffer;
  const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  GstVideoInfo video;
  GstVideoFrame frame;
  if (!caps || !gst_video_info_from_caps(&video, caps.get()) ||
      !gst_video_frame_map(&frame, &video, buffer, GST_MAP_READWRITE))
    return GST_PAD_PROBE_OK;
  auto *line = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  for (int y = 0; y < video.height; ++y, line += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0))
    lay_line_over_black(line, video.width);
  gst_video_frame_unmap(&frame);
  return GST_PAD_PROBE_OK;
}

}  // namespace

bool has_alpha(const GstCaps *video) {
  if (!video || gst_caps_is_any(video) || gst_caps_is_empty(video)) return false;
  const char *name = gst_structure_get_string(gst_caps_get_structure(video, 0), "format");
  const GstVideoFormat format = name ? gst_video_format_from_string(name) : GST_VIDEO_FORMAT_UNKNOWN;
  return format != GST_VIDEO_FORMAT_UNKNOWN &&
         GST_VIDEO_FORMAT_INFO_HAS_ALPHA(gst_video_format_get_info(format));
}

void lay_over_black(GstPad *pad) { gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, lay, nullptr, nullptr); }

}  // namespace genclip
