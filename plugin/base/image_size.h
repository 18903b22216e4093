// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the width and height of images from their headers, for formats that GStreamer cannot decode, cannot
// decode from a file, or of which it tells the size only once it decodes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

// The same of bytes that come one after another. The directory of a TIFF, which has its size, may be behind
// the pixels; those are not kept.
class SizeByOpening {
 public:
  // The next bytes. Nothing: the size is not known, or not yet.
  std::optional<ImageSize> take(std::string_view bytes);
  bool may_come() const;

 private:
  std::string read(uint64_t offset, size_t size) const;

  uint64_t passed_ = 0;
  uint64_t directory_at_ = 0;  // Where what is kept of a TIFF's directory begins, behind `head_`; 0: no TIFF.
  std::string head_;           // The first bytes that came.
  std::string directory_;
};

}  // namespace genclip
