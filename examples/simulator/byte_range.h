// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads a Range header with one range of bytes (RFC 9110 §14).
#pragma once

#include <cstdint>
#include <string_view>

namespace genclip::sim {

struct ByteRange {
  enum class Kind { none, satisfiable, unsatisfiable };
  Kind kind = Kind::none;
  // Both are in the range.
  uint64_t first = 0, last = 0;
};

// `none` for anything but a single range of bytes; the header is then ignored.
ByteRange byte_range(std::string_view header, uint64_t size);

}  // namespace genclip::sim
