// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One range of bytes, as RFC 9110 §14 has it.
#pragma once

#include <cstdint>
#include <string_view>

namespace genclip::sim {

struct ByteRange {
  enum class Kind { none, satisfiable, unsatisfiable };
  Kind kind = Kind::none;
  // Both in it.
  uint64_t first = 0, last = 0;
};

// `none` for what is no single range of bytes: it is then ignored.
ByteRange byte_range(std::string_view header, uint64_t size);

}  // namespace genclip::sim
