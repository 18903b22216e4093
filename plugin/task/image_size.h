// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the width and height of images from their headers, for formats that GStreamer cannot decode, or
// cannot decode from a file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace genclip {

struct ImageSize {
  uint32_t width = 0;
  uint32_t height = 0;

  friend bool operator==(const ImageSize &, const ImageSize &) = default;
};

// Up to `size` bytes at `offset`; fewer at the end, none beyond.
using ReadRange = std::function<std::string(uint64_t offset, size_t size)>;

// For a bmp, gif, tiff, heic, heif, avif or animated webp (format_name()); any bytes are safe. Nothing for
// other formats, and when the size is missing. Ignores a rotation in the metadata.
std::optional<ImageSize> image_size(std::string_view format, const ReadRange &read);

// True for a WebP that ends before the length that its head tells: GStreamer waits for the rest, shows
// nothing, and reports no error.
bool is_cut(std::string_view format, const ReadRange &read);

}  // namespace genclip
