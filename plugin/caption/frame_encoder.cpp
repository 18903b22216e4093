// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GstVideoConverter scales and converts, GStreamer's own elements decode and encode.
#include "plugin/caption/frame_encoder.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "plugin/caption/element_call.h"

namespace genclip {
namespace {

constexpr int kThumbnailSide = 32;

struct ConverterFree {
  void operator()(GstVideoConverter *converter) const { gst_video_converter_free(converter); }
};

class MappedFrame {
 public:
  MappedFrame(const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags)
      : mapped_(gst_video_frame_map(&frame_, &info, buffer, flags)) {}
  ~MappedFrame() {
    if (mapped_) gst_video_frame_unmap(&frame_);
  }
  MappedFrame(const MappedFrame &) = delete;
  MappedFrame &operator=(const MappedFrame &) = delete;
  GstVideoFrame *get() { return mapped_ ? &frame_ : nullptr; }

 private:
  GstVideoFrame frame_;
  bool mapped_;
};

Error unreadable(std::string why) {
  return {ErrorKind::wrong_type, "A picture cannot be sent to the model: " + std::move(why)};
}

std::string_view media_type(const Picture &picture) {
  return gst_structure_get_name(gst_caps_get_structure(picture.caps.get(), 0));
}

// Raw video of any picture.
Result<Picture> decoded(const Picture &picture) {
  if (media_type(picture) == "video/x-raw") return picture;
  const char *decoder = media_type(picture) == "image/png" ? "pngdec" : "jpegdec";
  auto raw = call_element(decoder, picture.caps.get(), picture.buffer.get());
  if (!raw) return unreadable(raw.error().text);
  return Picture{std::move(raw->buffer), std::move(raw->caps)};
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

// The converter changes neither rate nor interlacing, and the encoder asks for a rate: one for all.
void as_still(GstVideoInfo &info) {
  info.fps_n = 1;
  info.fps_d = 1;
  info.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
}

Result<Picture> converted(const Picture &raw, const GstVideoInfo &in_info, const GstVideoInfo &out_info) {
  MappedFrame in(in_info, raw.buffer.get(), GST_MAP_READ);
  if (!in.get()) return unreadable("its buffer is smaller than its caps say.");
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, out_info.size, nullptr));
  {
    MappedFrame out(out_info, buffer.get(), GST_MAP_WRITE);
    // Bilinear with all source pixels weighed: small pictures keep the mean colours of large ones.
    GstStructure *options =
        gst_structure_new("options", GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD,
                          GST_TYPE_VIDEO_RESAMPLER_METHOD, GST_VIDEO_RESAMPLER_METHOD_LINEAR, nullptr);
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
  if (!gst_video_info_from_caps(&info, raw.caps.get())) return unreadable("its caps are not complete.");
  as_still(info);
  return info;
}

GstVideoInfo still_info(GstVideoFormat format, Size size) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, static_cast<guint>(size.width), static_cast<guint>(size.height));
  as_still(info);
  return info;
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

// Every JPEG begins so.
bool begins_as_jpeg(GstBuffer *buffer) { return gst_buffer_memcmp(buffer, 0, "\xFF\xD8\xFF", 3) == 0; }

Still still_of(GstBuffer *buffer) {
  Still still;
  still.bytes.resize(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, still.bytes.data(), still.bytes.size());
  return still;
}

}  // namespace

Result<Still> encode_still(const Picture &picture, unsigned max_size) {
  if (goes_as_it_is(picture, max_size)) {
    if (!begins_as_jpeg(picture.buffer.get())) return unreadable("it is no JPEG.");
    return still_of(picture.buffer.get());
  }
  auto raw = decoded(picture);
  if (!raw) return std::move(raw).error();
  const auto in_info = info_of(*raw);
  if (!in_info) return in_info.error();
  const Size size = sent_size(*in_info, max_size);
  const bool fits = size.width == in_info->width && size.height == in_info->height;
  if (fits && media_type(picture) == "image/jpeg") return still_of(picture.buffer.get());

  // Scaled in its own format, which is fast; then by way of RGB, for between two formats of the same matrix
  // GStreamer 1.22 does not convert the range, and the picture would lose contrast.
  GstVideoInfo scaled_info = still_info(GST_VIDEO_INFO_FORMAT(&*in_info), size);
  scaled_info.colorimetry = in_info->colorimetry;
  GstVideoInfo jfif_info = still_info(GST_VIDEO_FORMAT_I420, size);
  // What JFIF means by its numbers: BT.601, full range.
  gst_video_colorimetry_from_string(&jfif_info.colorimetry, "1:4:0:0");
  auto small = converted(*raw, *in_info, scaled_info);
  const GstVideoInfo *small_info = &scaled_info;
  for (const GstVideoInfo &next : {still_info(GST_VIDEO_FORMAT_BGRx, size), jfif_info}) {
    if (!small) return small.error();
    small = converted(*small, *small_info, next);
    small_info = &next;
  }
  if (!small) return small.error();
  const auto jpeg = call_element("jpegenc", small->caps.get(), small->buffer.get());
  if (!jpeg) return jpeg.error();
  return still_of(jpeg->buffer.get());
}

Result<Thumbnail> make_thumbnail(const Picture &picture) {
  const auto raw = decoded(picture);
  if (!raw) return raw.error();
  const auto in_info = info_of(*raw);
  if (!in_info) return in_info.error();
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
