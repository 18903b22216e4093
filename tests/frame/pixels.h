// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The pixels of a PNG, by GStreamer's decoder.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace genclip::test {

struct Pixels {
  std::string format;  // "RGB", "RGBA"
  int width = 0;
  int height = 0;
  std::vector<std::array<int, 4>> colours;  // Row by row; alpha is 255 without an alpha channel.

  std::array<int, 4> at(int x, int y) const { return colours.at(static_cast<size_t>(y * width + x)); }
};

// Throws when it is not a PNG.
Pixels pixels_of(const std::string &png);

}  // namespace genclip::test
