// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the width and height of images from their headers, for formats that GStreamer cannot decode, cannot
// decode from a file, or of which it tells the size only once it decodes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "plugin/base/read_range.h"

namespace genclip {

struct ImageSize {
  uint32_t width = 0;
  uint32_t height = 0;

  friend bool operator==(const ImageSize &, const ImageSize &) = default;
};

// For a bmp, gif, tiff, heic, heif, avif or animated webp (format_name()); any bytes are safe. Nothing for
// other formats, and when the size is missing. Ignores a rotation in the metadata.
std::optional<ImageSize> image_size(std::string_view format, const ReadRange &read);

// For a gif, tiff or webp, still or not, as its first bytes tell: formats of which GStreamer's typefinders
// and parsers do not tell the size.
std::optional<ImageSize> size_by_opening(const ReadRange &read);

}  // namespace genclip
