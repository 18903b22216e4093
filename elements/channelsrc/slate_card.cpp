// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/slate_card.h"

#include <cstdint>
#include <vector>

namespace genclip {

// Slate grey above blue, with three light dots in the middle.
static uint32_t card_colour(int x, int y, int width, int height) {
  constexpr uint32_t kDot = 0xffe0e4ec;
  const int radius = std::max(height / 24, 1), step = height / 6;
  for (int dot = -1; dot <= 1; ++dot) {
    const int dx = x - (width / 2 + dot * step), dy = y - height / 2;
    if (dx * dx + dy * dy <= radius * radius) return kDot;
  }
  const auto shade = static_cast<uint32_t>(40 * y / height);
  return 0xff000000U | (0x38 << 16) | ((0x40 + shade / 2) << 8) | (0x58 + shade);
}

GRef<GstBuffer> slate_card(const GstVideoInfo &form) {
  GstVideoInfo drawn_info;
  gst_video_info_set_format(&drawn_info, GST_VIDEO_FORMAT_BGRA, form.width, form.height);
  std::vector<uint32_t> pixels;
  pixels.reserve(static_cast<size_t>(form.width) * static_cast<size_t>(form.height));
  for (int y = 0; y < form.height; ++y)
    for (int x = 0; x < form.width; ++x)
      pixels.push_back(GUINT32_TO_LE(card_colour(x, y, form.width, form.height)));
  const auto drawn = GRef<GstBuffer>::adopt(
      gst_buffer_new_memdup(pixels.data(), static_cast<gsize>(pixels.size() * sizeof(uint32_t))));

  // Without the rate, which the converter would compare.
  GstVideoInfo from = drawn_info, to = form;
  from.fps_n = to.fps_n = 0;
  from.fps_d = to.fps_d = 1;
  from.par_n = to.par_n;
  from.par_d = to.par_d;
  from.interlace_mode = to.interlace_mode;
  GstVideoConverter *converter = gst_video_converter_new(&from, &to, nullptr);
  if (!converter) return nullptr;
  auto card = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&form), nullptr));
  GstVideoFrame source, target;
  const bool is_mapped = gst_video_frame_map(&source, &from, drawn.get(), GST_MAP_READ);
  if (is_mapped && gst_video_frame_map(&target, &to, card.get(), GST_MAP_WRITE)) {
    gst_video_converter_frame(converter, &source, &target);
    gst_video_frame_unmap(&target);
  }
  if (is_mapped) gst_video_frame_unmap(&source);
  gst_video_converter_free(converter);
  return card;
}

}  // namespace genclip
