// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "plugin/base/element_call.h"
#include "plugin/base/mapped_frame.h"
#include "plugin/frame/frame_decoder.h"
#include "plugin/frame/frame_png.h"
#include "plugin/frame/media_file.h"

namespace genclip {
namespace {

constexpr std::chrono::seconds kPlace{1};
constexpr int kJpegQuality = 80;

struct ThumbnailConverterFree {
  void operator()(GstVideoConverter *converter) const { gst_video_converter_free(converter); }
};

Error no_thumbnail(const std::string &why) { return {ErrorKind::failed, "has no thumbnail: " + why}; }

// Square pixels in a size that fits, even in both directions, as I420 needs it.
GstVideoInfo small_info(const GstVideoInfo &in, unsigned max_side) {
  const double ratio = in.par_n > 0 && in.par_d > 0 ? static_cast<double>(in.par_n) / in.par_d : 1;
  const double width = in.width * ratio;
  const double scale = std::min(1.0, max_side / std::max<double>(width, in.height));
  const auto even = [&](double side) {
    return std::max(2u, static_cast<guint>(std::lround(side * scale)) & ~1u);
  };
  GstVideoInfo out;
  gst_video_info_set_format(&out, GST_VIDEO_FORMAT_I420, even(width), even(in.height));
  out.fps_n = 0;
  out.fps_d = 1;
  return out;
}

Result<ElementOutput> small_picture(const RawFrame &raw, unsigned max_side) {
  GstVideoInfo in_info;
  if (!gst_video_info_from_caps(&in_info, raw.caps.get())) return no_thumbnail("its caps are incomplete.");
  in_info.fps_n = 0;  // The converter does not change the rate, nor interlacing.
  in_info.fps_d = 1;
  in_info.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  GstVideoInfo out_info = small_info(in_info, max_side);
  auto made = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, out_info.size, nullptr));
  gst_buffer_memset(made.get(), 0, 0, out_info.size);
  {
    MappedFrame in(in_info, raw.buffer.get(), GST_MAP_READ);
    MappedFrame out(out_info, made.get(), GST_MAP_WRITE);
    const std::unique_ptr<GstVideoConverter, ThumbnailConverterFree> converter(
        gst_video_converter_new(&in_info, &out_info, nullptr));
    if (!in.get() || !out.get() || !converter) return no_thumbnail("its format cannot be converted.");
    gst_video_converter_frame(converter.get(), in.get(), out.get());
  }
  ElementOutput picture{std::move(made), GRef<GstCaps>::adopt(gst_video_info_to_caps(&out_info))};
  if (raw.orientation == GST_VIDEO_ORIENTATION_IDENTITY) return picture;
  return call_element("videoflip", picture.caps.get(), picture.buffer.get(), [&](GstElement *flip) {
    g_object_set(flip, "video-direction", raw.orientation, nullptr);
  });
}

}  // namespace

Result<std::string> thumbnail_of(const std::string &path, unsigned max_side, const FrameLimits &limits,
                                 GCancellable *cancellable) {
  const auto file = MediaFile::open(path);
  if (!file) return file.error();
  auto raw = decode_frame(*file, FramePosition{kPlace}, limits, cancellable);
  if (!raw && raw.error().kind == ErrorKind::settings)
    raw = decode_frame(*file, FramePosition::first(), limits, cancellable);
  if (!raw) return raw.error();
  const auto picture = small_picture(*raw, max_side);
  if (!picture) return no_thumbnail(picture.error().text);
  const auto jpeg =
      call_element("jpegenc", picture->caps.get(), picture->buffer.get(),
                   [](GstElement *encoder) { g_object_set(encoder, "quality", kJpegQuality, nullptr); });
  if (!jpeg) return no_thumbnail(jpeg.error().text);
  std::string bytes(gst_buffer_get_size(jpeg->buffer.get()), '\0');
  gst_buffer_extract(jpeg->buffer.get(), 0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace genclip
