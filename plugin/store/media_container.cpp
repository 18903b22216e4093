// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GStreamer's typefinders decide; a table gives the file name extension.
#include "plugin/store/media_container.h"

#include <gst/base/gsttypefindhelper.h>

#include <algorithm>
#include <string_view>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

struct KnownType {
  std::string_view caps_name;
  const char *media_type;
  const char *extension;
};

constexpr KnownType kKnownTypes[] = {
    {"video/quicktime", "video/mp4", "mp4"},
    {"video/webm", "video/webm", "webm"},
    {"video/x-matroska", "video/x-matroska", "mkv"},
    {"video/mpegts", "video/mp2t", "ts"},
    {"video/x-msvideo", "video/x-msvideo", "avi"},
    {"video/x-flv", "video/x-flv", "flv"},
    {"application/ogg", "application/ogg", "ogg"},
    {"image/png", "image/png", "png"},
    {"image/jpeg", "image/jpeg", "jpg"},
    {"image/webp", "image/webp", "webp"},
    {"image/gif", "image/gif", "gif"},
    {"image/bmp", "image/bmp", "bmp"},
    {"image/tiff", "image/tiff", "tiff"},
};

constexpr const char *kOtherExtension = "bin";

}  // namespace

bool is_media_extension(std::string_view extension) {
  const auto *found = std::find_if(std::begin(kKnownTypes), std::end(kKnownTypes),
                                   [&](const KnownType &known) { return extension == known.extension; });
  return found != std::end(kKnownTypes) || extension == kOtherExtension;
}

std::optional<MediaContainer> probe_container(std::span<const std::byte> head, const std::string &expected) {
  GstTypeFindProbability probability = GST_TYPE_FIND_NONE;
  auto caps = GRef<GstCaps>::adopt(gst_type_find_helper_for_data_with_extension(
      nullptr, reinterpret_cast<const guint8 *>(head.data()), head.size(),
      expected.empty() ? nullptr : expected.c_str(), &probability));
  if (!caps || gst_caps_get_size(caps.get()) == 0 || probability < GST_TYPE_FIND_POSSIBLE)
    return std::nullopt;
  const std::string_view name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  for (const KnownType &known : kKnownTypes)
    if (name == known.caps_name) return MediaContainer{known.media_type, known.extension};
  if (name.starts_with("video/") || name.starts_with("image/") || name.starts_with("audio/"))
    return MediaContainer{std::string(name), kOtherExtension};
  return std::nullopt;
}

}  // namespace genclip
