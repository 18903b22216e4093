// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Assertions of a fuzz target: a failed one is a crash, which the fuzzer reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace genclip {

inline void hold(bool fact) {
  if (!fact) __builtin_trap();
}

inline std::string_view as_text(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

}  // namespace genclip
