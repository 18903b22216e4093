// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tag/tag.h>

#include <string>

#include "plugin/base/gref.h"

namespace genclip::test {

// The JPEG as a camera writes it: EXIF ahead of all else but so many bytes of another kind (at most 60000),
// with this value of the tag image-orientation.
inline std::string with_exif(const std::string &jpeg, const char *orientation, size_t ahead = 2) {
  GstTagList *tags = gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, orientation, nullptr);
  const auto tiff = GRef<GstBuffer>::adopt(gst_tag_list_to_exif_buffer_with_tiff_header(tags));
  gst_tag_list_unref(tags);
  std::string exif("Exif\0\0", 6);
  exif.resize(6 + gst_buffer_get_size(tiff.get()));
  gst_buffer_extract(tiff.get(), 0, exif.data() + 6, exif.size() - 6);
  const size_t length = exif.size() + 2;
  // A comment ahead of it, and a marker that is filled up.
  const std::string comment =
      std::string{'\xFF', '\xFE', static_cast<char>((ahead + 2) >> 8), static_cast<char>(ahead + 2)} +
      std::string(ahead, 'x');
  const std::string marker = {'\xFF', '\xFF', '\xE1', static_cast<char>(length >> 8),
                              static_cast<char>(length)};
  return jpeg.substr(0, 2) + comment + marker + exif + jpeg.substr(2);
}

}  // namespace genclip::test
