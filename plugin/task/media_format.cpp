// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One row for each media type. The first row of a format has the type that its extensions stand for.
#include "plugin/task/media_format.h"

#include <gst/base/gsttypefindhelper.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

enum Holds : unsigned { kImage = 1, kVideo = 2, kAudio = 4 };

struct FormatRow {
  std::string_view media_type;
  std::string_view format;
  unsigned holds;
};

constexpr FormatRow kFormats[] = {
    {"image/jpeg", "jpeg", kImage},
    {"image/jpg", "jpeg", kImage},
    {"image/pjpeg", "jpeg", kImage},
    {"image/png", "png", kImage},
    {"image/x-png", "png", kImage},
    {"image/webp", "webp", kImage},
    {"image/bmp", "bmp", kImage},
    {"image/x-bmp", "bmp", kImage},
    {"image/x-ms-bmp", "bmp", kImage},
    {"image/tiff", "tiff", kImage},
    {"image/gif", "gif", kImage},
    {"image/heic", "heic", kImage},
    {"image/heic-sequence", "heic", kImage},
    {"image/heif", "heif", kImage},
    {"image/heif-sequence", "heif", kImage},
    {"image/avif", "avif", kImage},
    {"video/mp4", "mp4", kVideo | kAudio},
    {"video/x-m4v", "mp4", kVideo},
    {"application/mp4", "mp4", kVideo | kAudio},
    {"video/quicktime", "mov", kVideo | kAudio},
    {"video/webm", "webm", kVideo | kAudio},
    {"audio/webm", "webm", kAudio},
    {"video/x-matroska", "mkv", kVideo | kAudio},
    {"audio/x-matroska", "mkv", kAudio},
    {"audio/wav", "wav", kAudio},
    {"audio/x-wav", "wav", kAudio},
    {"audio/wave", "wav", kAudio},
    {"audio/vnd.wave", "wav", kAudio},
    {"audio/mpeg", "mp3", kAudio},
    {"audio/mp3", "mp3", kAudio},
    {"audio/x-mp3", "mp3", kAudio},
    {"audio/mp4", "m4a", kAudio},
    {"audio/m4a", "m4a", kAudio},
    {"audio/x-m4a", "m4a", kAudio},
    {"audio/aac", "aac", kAudio},
    {"audio/aacp", "aac", kAudio},
    {"audio/x-aac", "aac", kAudio},
    {"audio/ogg", "ogg", kAudio},
    {"video/ogg", "ogg", kVideo},
    {"application/ogg", "ogg", kVideo | kAudio},
    {"audio/flac", "flac", kAudio},
    {"audio/x-flac", "flac", kAudio},
};

// ISO media files by their brand, of which GStreamer's typefinders know only some.
struct BrandRow {
  std::string_view brand;
  std::string_view media_type;
};

constexpr BrandRow kBrands[] = {
    {"qt  ", "video/quicktime"}, {"M4A ", "audio/mp4"},           {"M4B ", "audio/mp4"},
    {"heic", "image/heic"},      {"heix", "image/heic"},          {"heim", "image/heic"},
    {"heis", "image/heic"},      {"hevc", "image/heic-sequence"}, {"hevx", "image/heic-sequence"},
    {"mif1", "image/heif"},      {"msf1", "image/heif-sequence"}, {"avif", "image/avif"},
    {"avis", "image/avif"},
};

// These say nothing. Neither does a text that is not a type, such as "octet-stream" or "*/*".
constexpr std::string_view kUntelling[] = {"application/octet-stream",
                                           "binary/octet-stream",
                                           "application/binary",
                                           "application/x-binary",
                                           "application/download",
                                           "application/x-download",
                                           "application/force-download",
                                           "application/x-octet-stream",
                                           "application/octetstream",
                                           "application/unknown",
                                           "unknown/unknown",
                                           "text/plain"};

bool is_untelling(std::string_view type) {
  return type.find('/') == type.npos || type.find('*') != type.npos ||
         std::find(std::begin(kUntelling), std::end(kUntelling), type) != std::end(kUntelling);
}

std::string lower(std::string_view text) {
  std::string low(text);
  for (char &c : low) c = g_ascii_tolower(c);
  return low;
}

const FormatRow *find_format(std::string_view media_type) {
  const auto row = std::find_if(std::begin(kFormats), std::end(kFormats),
                                [&](const FormatRow &row) { return row.media_type == media_type; });
  return row == std::end(kFormats) ? nullptr : row;
}

std::string type_of_caps(GstCaps *caps) {
  const GstStructure *type = gst_caps_get_structure(caps, 0);
  std::string name = gst_structure_get_name(type);
  if (name == "audio/mpeg") {
    int version = 1;
    gst_structure_get_int(type, "mpegversion", &version);
    return version == 1 ? name : "audio/aac";
  }
  // An mp3 file may begin with its tag.
  if (name == "application/x-id3" || name == "application/x-apetag") return "audio/mpeg";
  return name;
}

}  // namespace

std::string_view format_name(std::string_view media_type) {
  const FormatRow *row = find_format(media_type);
  return row ? row->format : std::string_view();
}

bool may_be(std::string_view media_type, const std::optional<MediaKind> &kind) {
  const FormatRow *row = find_format(media_type);
  const auto is = [&](MediaKind wanted, unsigned holds, std::string_view types) {
    return (!kind || *kind == wanted) && (row ? (row->holds & holds) != 0 : media_type.starts_with(types));
  };
  return is(MediaKind::image, kImage, "image/") || is(MediaKind::video, kVideo, "video/") ||
         is(MediaKind::audio, kAudio, "audio/");
}

std::string telling_media_type(std::string_view content_type) {
  std::string type = lower(trimmed(content_type.substr(0, content_type.find(';'))));
  return is_untelling(type) ? std::string() : type;
}

std::string_view file_extension(std::string_view media_type) {
  const std::string_view format = format_name(media_type);
  if (format.empty()) return {};
  for (const MediaExtension &extension : media_extensions())
    if (format_name(extension.media_type) == format) return extension.text;
  return {};
}

bool is_file_extension(std::string_view extension) {
  return std::ranges::any_of(media_extensions(), [&](const MediaExtension &row) {
    return row.text == extension && file_extension(row.media_type) == extension;
  });
}

std::string sniff_media_type(std::string_view head) {
  if (head.size() >= 12 && head.substr(4, 4) == "ftyp") {
    for (const BrandRow &row : kBrands)
      if (head.substr(8, 4) == row.brand) return std::string(row.media_type);
    return "video/mp4";
  }
  if (head.empty()) return {};
  const auto caps = GRef<GstCaps>::adopt(gst_type_find_helper_for_data(
      nullptr, reinterpret_cast<const guint8 *>(head.data()), std::min(head.size(), kSniffedBytes), nullptr));
  return caps ? type_of_caps(caps.get()) : std::string();
}

}  // namespace genclip
