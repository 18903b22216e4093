// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Walks the markers of a JPEG to its EXIF, which GStreamer's tag library reads.
#include "plugin/caption/jpeg_orientation.h"

#include <gio/gio.h>
#include <gst/base/gstbytereader.h>
#include <gst/tag/tag.h>

#include <cstring>
#include <vector>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr guint8 kMarker = 0xFF;
constexpr guint8 kApp1 = 0xE1;
constexpr guint8 kScan = 0xDA;  // pixels from here on
constexpr char kExif[] = "Exif\0";

// Two bytes at any address; gst_byte_reader_get_uint16_be() loads them as if they were aligned.
bool read_uint16(GstByteReader &reader, guint16 &value) {
  const guint8 *bytes = nullptr;
  if (!gst_byte_reader_get_data(&reader, 2, &bytes)) return false;
  value = static_cast<guint16>(bytes[0] << 8 | bytes[1]);
  return true;
}

// Finds the TIFF header of the EXIF data. False: there is none.
bool find_exif(const GstMapInfo &map, size_t &offset, size_t &size) {
  GstByteReader reader;
  gst_byte_reader_init(&reader, map.data, static_cast<guint>(map.size));
  guint16 start = 0;
  if (!read_uint16(reader, start) || start != 0xFFD8) return false;
  for (;;) {
    guint8 byte = 0;
    if (!gst_byte_reader_get_uint8(&reader, &byte) || byte != kMarker) return false;
    // A marker may be filled up with further 0xFF.
    while (byte == kMarker)
      if (!gst_byte_reader_get_uint8(&reader, &byte)) return false;
    guint16 length = 0;
    const guint8 *data = nullptr;
    if (byte == kScan || !read_uint16(reader, length) || length < 2 ||
        !gst_byte_reader_get_data(&reader, length - 2u, &data))
      return false;
    if (byte != kApp1 || length - 2u <= sizeof kExif || std::memcmp(data, kExif, sizeof kExif) != 0) continue;
    offset = static_cast<size_t>(data - map.data) + sizeof kExif;
    size = length - 2u - sizeof kExif;
    return true;
  }
}

}  // namespace

std::optional<GstVideoOrientationMethod> jpeg_orientation(GstBuffer *jpeg) {
  GstMapInfo map;
  if (!gst_buffer_map(jpeg, &map, GST_MAP_READ)) return std::nullopt;
  size_t offset = 0;
  size_t size = 0;
  const bool found = find_exif(map, offset, size);
  gst_buffer_unmap(jpeg, &map);
  if (!found) return std::nullopt;

  const auto exif =
      GRef<GstBuffer>::adopt(gst_buffer_copy_region(jpeg, GST_BUFFER_COPY_MEMORY, offset, size));
  GstTagList *tags = gst_tag_list_from_exif_buffer_with_tiff_header(exif.get());
  if (!tags) return std::nullopt;
  GstVideoOrientationMethod method = GST_VIDEO_ORIENTATION_IDENTITY;
  const bool said = gst_video_orientation_from_tag(tags, &method);
  gst_tag_list_unref(tags);
  return said ? std::optional(method) : std::nullopt;
}

std::optional<GstVideoOrientationMethod> jpeg_file_orientation(const std::string &uri) {
  // What comes ahead of it, such as a colour profile, has at most 64 KiB each.
  constexpr gsize kMost = 192 * 1024;
  const GStringPtr path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  if (!path || !g_file_test(path.get(), G_FILE_TEST_IS_REGULAR)) return std::nullopt;
  const auto file = GRef<GFile>::adopt(g_file_new_for_path(path.get()));
  const auto stream = GRef<GFileInputStream>::adopt(g_file_read(file.get(), nullptr, nullptr));
  if (!stream) return std::nullopt;
  std::vector<guint8> bytes(kMost);
  gsize size = 0;
  const auto read_until = [&](gsize end) {
    gsize more = 0;
    g_input_stream_read_all(G_INPUT_STREAM(stream.get()), bytes.data() + size, end - size, &more, nullptr,
                            nullptr);
    size += more;
  };
  read_until(2);
  if (size < 2 || bytes[0] != 0xFF || bytes[1] != 0xD8) return std::nullopt;
  read_until(kMost);
  const auto head = GRef<GstBuffer>::adopt(gst_buffer_new_memdup(bytes.data(), size));
  return jpeg_orientation(head.get());
}

}  // namespace genclip
