// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GstVideoConverter makes RGB with square pixels, GStreamer's elements turn it upright and encode it.
#include "plugin/frame/frame_png.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "plugin/base/element_call.h"
#include "plugin/base/mapped_frame.h"

namespace genclip {
namespace {

struct PngConverterFree {
  void operator()(GstVideoConverter *converter) const { gst_video_converter_free(converter); }
};

Error not_converted(const std::string &why) { return {ErrorKind::failed, "cannot be made a PNG: " + why}; }

// The converter changes neither rate nor interlacing, and pngenc needs no rate.
void as_one_frame(GstVideoInfo &info) {
  info.fps_n = 0;
  info.fps_d = 1;
  info.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
}

guint square_width(const GstVideoInfo &info) {
  if (info.par_n <= 0 || info.par_d <= 0) return static_cast<guint>(info.width);
  const double width = static_cast<double>(info.width) * info.par_n / info.par_d;
  return static_cast<guint>(std::clamp(std::round(width), 1.0, 32767.0));
}

// In full precision, without dithering: the colours depend on nothing but the frame.
GstStructure *exact_options() {
  return gst_structure_new(
      "options", GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE,
      GST_VIDEO_CONVERTER_OPT_CHROMA_MODE, GST_TYPE_VIDEO_CHROMA_MODE, GST_VIDEO_CHROMA_MODE_FULL,
      GST_VIDEO_CONVERTER_OPT_MATRIX_MODE, GST_TYPE_VIDEO_MATRIX_MODE, GST_VIDEO_MATRIX_MODE_FULL, nullptr);
}

Result<ElementOutput> converted(GstBuffer *buffer, const GstVideoInfo &in_info,
                                const GstVideoInfo &out_info) {
  GstVideoInfo from = in_info;
  GstVideoInfo to = out_info;
  // Padding bytes of the rows are 0, not random.
  auto made = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, to.size, nullptr));
  gst_buffer_memset(made.get(), 0, 0, to.size);
  MappedFrame in(from, buffer, GST_MAP_READ);
  if (!in.get()) return not_converted("its buffer is smaller than its caps say.");
  MappedFrame out(to, made.get(), GST_MAP_WRITE);
  const std::unique_ptr<GstVideoConverter, PngConverterFree> converter(
      gst_video_converter_new(&from, &to, exact_options()));
  if (!out.get() || !converter) return not_converted("its format cannot be converted.");
  gst_video_converter_frame(converter.get(), in.get(), out.get());
  return ElementOutput{std::move(made), GRef<GstCaps>::adopt(gst_video_info_to_caps(&to))};
}

GstVideoInfo frame_info(GstVideoFormat format, guint width, guint height) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, width, height);
  as_one_frame(info);
  return info;
}

// The direct way from YUV to 8-bit RGB makes pictures darker by 2 or 3 of 255 levels, because it calculates
// with few bits.
Result<ElementOutput> as_rgb(const RawFrame &raw) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, raw.caps.get())) return not_converted("its caps are incomplete.");
  as_one_frame(info);
  const guint width = square_width(info);
  const auto height = static_cast<guint>(info.height);
  const bool has_alpha = GST_VIDEO_FORMAT_INFO_HAS_ALPHA(info.finfo);
  const GstVideoInfo rgb =
      frame_info(has_alpha ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_RGB, width, height);
  if (!GST_VIDEO_FORMAT_INFO_IS_YUV(info.finfo)) return converted(raw.buffer.get(), info, rgb);
  const GstVideoInfo precise = frame_info(GST_VIDEO_FORMAT_ARGB64, width, height);
  const auto wide = converted(raw.buffer.get(), info, precise);
  return wide ? converted(wide->buffer.get(), precise, rgb) : wide;
}

Result<ElementOutput> upright(const ElementOutput &rgb, GstVideoOrientationMethod orientation) {
  if (orientation == GST_VIDEO_ORIENTATION_IDENTITY) return rgb;
  return call_element("videoflip", rgb.caps.get(), rgb.buffer.get(),
                      [&](GstElement *flip) { g_object_set(flip, "video-direction", orientation, nullptr); });
}

}  // namespace

Result<Frame> frame_png(const RawFrame &raw) {
  auto rgb = as_rgb(raw);
  if (!rgb) return std::move(rgb).error();
  const auto turned = upright(*rgb, raw.orientation);
  if (!turned) return not_converted(turned.error().text);
  const auto png = call_element("pngenc", turned->caps.get(), turned->buffer.get());
  if (!png) return not_converted(png.error().text);

  Frame frame;
  frame.png.resize(gst_buffer_get_size(png->buffer.get()));
  gst_buffer_extract(png->buffer.get(), 0, frame.png.data(), frame.png.size());
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, turned->caps.get())) return not_converted("its caps are incomplete.");
  frame.width = static_cast<unsigned>(info.width);
  frame.height = static_cast<unsigned>(info.height);
  frame.time = std::chrono::nanoseconds(raw.time);
  return frame;
}

}  // namespace genclip
