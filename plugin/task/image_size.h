// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Width and height of images that GStreamer decodes not at all or not from a file, read from their headers.
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
using ReadAt = std::function<std::string(uint64_t offset, size_t size)>;

// Of a bmp, gif, tiff, heic, heif or avif (format_name()), whatever its bytes are; nothing for others, and
// for one that does not say. A turn by metadata is not applied.
std::optional<ImageSize> image_size(std::string_view format, const ReadAt &read);

}  // namespace genclip
