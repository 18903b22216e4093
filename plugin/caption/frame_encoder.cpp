// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GstVideoConverter scales and converts, GStreamer's own elements decode and encode.
#include "plugin/caption/frame_encoder.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>

#include "plugin/base/element_call.h"
#include "plugin/base/mapped_frame.h"
#include "plugin/base/media_end.h"
#include "plugin/caption/jpeg_orientation.h"

namespace genclip {
namespace {

constexpr int kThumbnailSide = 32;
// Of each point of a thumbnail, so many rows and columns are read if it must be quick.
constexpr int kPointsRead = 4;

struct ConverterFree {
  void operator()(GstVideoConverter *converter) const { gst_video_converter_free(converter); }
};

Error unreadable(std::string why) {
  return {ErrorKind::wrong_type, "A picture cannot be sent to the model: " + std::move(why)};
}

std::string_view media_type(const Picture &picture) {
  return gst_structure_get_name(gst_caps_get_structure(picture.caps.get(), 0));
}

// Any picture as raw video.
Result<Picture> decoded(const Picture &picture) {
  if (media_type(picture) == "video/x-raw") return picture;
  const char *decoder = media_type(picture) == "image/png" ? "pngdec" : "jpegdec";
  auto raw = call_element(decoder, picture.caps.get(), picture.buffer.get());
  if (!raw) return unreadable(raw.error().text);
  return Picture{std::move(raw->buffer), std::move(raw->caps)};
}

GstVideoOrientationMethod orientation_of(const Picture &picture) {
  if (media_type(picture) != "image/jpeg") return picture.orientation;
  return jpeg_orientation(picture.buffer.get()).value_or(picture.orientation);
}

Result<Picture> turned(const Picture &raw, GstVideoOrientationMethod orientation) {
  const auto turn = [&](GstElement *flip) { g_object_set(flip, "video-direction", orientation, nullptr); };
  auto upright = call_element("videoflip", raw.caps.get(), raw.buffer.get(), turn);
  if (!upright) return unreadable(upright.error().text);
  return Picture{std::move(upright->buffer), std::move(upright->caps)};
}

struct Size {
  int width = 1;
  int height = 1;
};

// Square pixels, and the longer side within `max_size`.
Size sent_size(const GstVideoInfo &info, unsigned max_size) {
  double width = static_cast<double>(info.width);
  const double height = static_cast<double>(info.height);
  if (info.par_n > 0 && info.par_d > 0) width = width * info.par_n / info.par_d;
  const double longer = std::max(width, height);
  const double scale = max_size > 0 && longer > max_size ? max_size / longer : 1.0;
  const auto side = [&](double length) {
    return static_cast<int>(std::clamp(std::round(length * scale), 1.0, 65000.0));
  };
  return {side(width), side(height)};
}

// The converter changes neither rate nor interlacing, and the encoder needs a rate, so all pictures get the
// same.
void as_still(GstVideoInfo &info) {
  info.fps_n = 1;
  info.fps_d = 1;
  info.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
}

// By default bilinear over all source pixels, so that small pictures keep the mean colours of large ones.
Result<Picture> converted(const Picture &raw, const GstVideoInfo &in_info, const GstVideoInfo &out_info,
                          GstVideoResamplerMethod method = GST_VIDEO_RESAMPLER_METHOD_LINEAR) {
  MappedFrame in(in_info, raw.buffer.get(), GST_MAP_READ);
  if (!in.get()) return unreadable("its buffer is smaller than its caps say.");
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, out_info.size, nullptr));
  {
    MappedFrame out(out_info, buffer.get(), GST_MAP_WRITE);
    GstStructure *options = gst_structure_new("options", GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD,
                                              GST_TYPE_VIDEO_RESAMPLER_METHOD, method, nullptr);
    const std::unique_ptr<GstVideoConverter, ConverterFree> converter(gst_video_converter_new(
        const_cast<GstVideoInfo *>(&in_info), const_cast<GstVideoInfo *>(&out_info), options));
    if (!out.get() || !converter) return unreadable("its format cannot be converted.");
    gst_video_converter_frame(converter.get(), in.get(), out.get());
  }
  return Picture{std::move(buffer),
                 GRef<GstCaps>::adopt(gst_video_info_to_caps(const_cast<GstVideoInfo *>(&out_info)))};
}

Result<GstVideoInfo> info_of(const Picture &raw) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, raw.caps.get())) return unreadable("its caps are incomplete.");
  as_still(info);
  return info;
}

GstVideoInfo still_info(GstVideoFormat format, Size size) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, static_cast<guint>(size.width), static_cast<guint>(size.height));
  as_still(info);
  return info;
}

// jpegenc reads whole blocks, which end beyond the rows. Each row is extended there by its last pixel;
// otherwise random bytes would change the block, and equal pictures would not give equal JPEGs.
constexpr int kBlock = 16;

void extend_rows(GstVideoFrame *frame) {
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(frame); ++plane) {
    auto *row = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(frame, plane));
    const auto width = static_cast<size_t>(GST_VIDEO_FRAME_COMP_WIDTH(frame, plane));
    const auto stride = static_cast<size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane));
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(frame, plane); ++y, row += stride)
      std::fill(row + width, row + stride, row[width - 1]);
  }
}

// In the colours that JFIF defines: BT.601, full range.
Result<Picture> as_jfif(const Picture &rgb) {
  const auto in_info = info_of(rgb);
  if (!in_info) return in_info.error();
  GstVideoInfo out_info = still_info(GST_VIDEO_FORMAT_I420, {in_info->width, in_info->height});
  gst_video_colorimetry_from_string(&out_info.colorimetry, "1:4:0:0");
  GstVideoAlignment blocks;
  gst_video_alignment_reset(&blocks);
  blocks.padding_right = static_cast<guint>((kBlock - out_info.width % kBlock) % kBlock);
  if (!gst_video_info_align(&out_info, &blocks)) return unreadable("it is too large.");
  auto picture = converted(rgb, *in_info, out_info);
  if (!picture) return picture;
  GstBuffer *buffer = picture->buffer.get();
  if (MappedFrame frame(out_info, buffer, GST_MAP_READWRITE); frame.get()) extend_rows(frame.get());
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420,
                                 static_cast<guint>(out_info.width), static_cast<guint>(out_info.height), 3,
                                 out_info.offset, out_info.stride);
  return picture;
}

Result<Picture> encoded(const Picture &raw) {
  auto jpeg = call_element("jpegenc", raw.caps.get(), raw.buffer.get());
  if (!jpeg) return std::move(jpeg).error();
  return Picture{std::move(jpeg->buffer), std::move(jpeg->caps)};
}

bool goes_as_it_is(const Picture &picture, unsigned max_size) {
  if (media_type(picture) != "image/jpeg") return false;
  if (max_size == 0) return true;
  const GstStructure *structure = gst_caps_get_structure(picture.caps.get(), 0);
  int width = 0;
  int height = 0;
  return gst_structure_get_int(structure, "width", &width) &&
         gst_structure_get_int(structure, "height", &height) && width > 0 && height > 0 &&
         static_cast<unsigned>(std::max(width, height)) <= max_size;
}

// Every JPEG begins with these bytes.
bool begins_as_jpeg(GstBuffer *buffer) { return gst_buffer_memcmp(buffer, 0, "\xFF\xD8\xFF", 3) == 0; }

// Services refuse it, or are paid for a part of a picture. What can be read of it is encoded anew: some
// cameras leave out the mark of the end.
bool is_cut(GstBuffer *buffer) {
  const auto read = [buffer](uint64_t offset, size_t size) {
    std::string bytes(size, '\0');
    bytes.resize(gst_buffer_extract(buffer, offset, bytes.data(), size));
    return bytes;
  };
  return media_extent("image/jpeg", gst_buffer_get_size(buffer), read).end == MediaEnd::cut;
}

// In base64 already: for a large picture that takes longer than a change to NULL may, and only encoding is
// done in a thread that nobody waits for.
Still still_of(GstBuffer *buffer) {
  std::string bytes(gst_buffer_get_size(buffer), '\0');
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  const auto *data = reinterpret_cast<const guchar *>(bytes.data());
  Still still;
  still.base64 = std::make_shared<const std::string>(GStringPtr(g_base64_encode(data, bytes.size())).get());
  still.digest = GStringPtr(g_compute_checksum_for_data(G_CHECKSUM_SHA256, data, bytes.size())).get();
  return still;
}

bool is_cancelled(GCancellable *cancellable) {
  return cancellable && g_cancellable_is_cancelled(cancellable);
}

}  // namespace

Result<Still> encode_still(const Picture &picture, unsigned max_size, GCancellable *cancellable) {
  const GstVideoOrientationMethod orientation = orientation_of(picture);
  const bool upright = orientation == GST_VIDEO_ORIENTATION_IDENTITY;
  const bool is_jpeg = media_type(picture) == "image/jpeg";
  const bool may_go = upright && is_jpeg && !is_cut(picture.buffer.get());
  if (may_go && goes_as_it_is(picture, max_size)) {
    if (!begins_as_jpeg(picture.buffer.get())) return unreadable("it is not a JPEG.");
    return still_of(picture.buffer.get());
  }
  auto raw = decoded(picture);
  if (!raw) return std::move(raw).error();
  const auto in_info = info_of(*raw);
  if (!in_info) return in_info.error();
  const Size size = sent_size(*in_info, max_size);
  const bool fits = size.width == in_info->width && size.height == in_info->height;
  if (may_go && fits) return still_of(picture.buffer.get());

  // Scales in the picture's own format, which is fast. Then converts by way of RGB, because GStreamer 1.22
  // does not convert the range between two formats of the same matrix, and the picture would lose contrast.
  // Rotates it in between.
  GstVideoInfo scaled_info = still_info(GST_VIDEO_INFO_FORMAT(&*in_info), size);
  scaled_info.colorimetry = in_info->colorimetry;
  const GstVideoInfo rgb_info = still_info(GST_VIDEO_FORMAT_BGRx, size);
  const std::function<Result<Picture>(const Picture &)> steps[] = {
      [&](const Picture &in) { return fits ? Result<Picture>(in) : converted(in, *in_info, scaled_info); },
      [&](const Picture &in) { return converted(in, fits ? *in_info : scaled_info, rgb_info); },
      [&](const Picture &in) { return upright ? Result<Picture>(in) : turned(in, orientation); },
      [](const Picture &in) { return as_jfif(in); },
      [](const Picture &in) { return encoded(in); },
  };
  for (const auto &step : steps) {
    if (is_cancelled(cancellable)) return cancelled();
    raw = step(*raw);
    if (!raw) return std::move(raw).error();
  }
  return still_of(raw->buffer.get());
}

Result<Thumbnail> make_thumbnail(const Picture &picture, GCancellable *cancellable, ThumbnailPixels pixels) {
  auto raw = decoded(picture);
  if (!raw) return raw.error();
  if (is_cancelled(cancellable)) return cancelled();
  auto in_info = info_of(*raw);
  if (!in_info) return in_info.error();
  constexpr int kRead = kThumbnailSide * kPointsRead;
  if (pixels == ThumbnailPixels::some && in_info->width > kRead && in_info->height > kRead) {
    const GstVideoInfo read_info = still_info(GST_VIDEO_FORMAT_RGB, {kRead, kRead});
    raw = converted(*raw, *in_info, read_info, GST_VIDEO_RESAMPLER_METHOD_NEAREST);
    if (!raw) return raw.error();
    in_info = read_info;
  }
  const GstVideoInfo out_info = still_info(GST_VIDEO_FORMAT_RGB, {kThumbnailSide, kThumbnailSide});
  const auto small = converted(*raw, *in_info, out_info);
  if (!small) return small.error();
  Thumbnail thumbnail(gst_buffer_get_size(small->buffer.get()));
  gst_buffer_extract(small->buffer.get(), 0, thumbnail.data(), thumbnail.size());
  return thumbnail;
}

double difference(const Thumbnail &a, const Thumbnail &b) {
  if (a.size() != b.size() || a.empty()) return 1;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
  return sum / (255.0 * static_cast<double>(a.size()));
}

}  // namespace genclip
