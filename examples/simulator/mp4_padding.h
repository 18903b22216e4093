// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lengthens an mp4 file without a change to its content.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plugin/base/gref.h"

namespace genclip::sim {

struct Mp4Box {
  std::string_view type;
  size_t offset = 0;
  size_t size = 0;
};
// The boxes of the top level, up to the first broken one.
std::vector<Mp4Box> mp4_boxes(std::string_view file);

// With a `free` box before a last moov, else at the end, so that no offset changes.
GRef<GBytes> padded_mp4(const GRef<GBytes> &file, uint64_t least_bytes);

}  // namespace genclip::sim
