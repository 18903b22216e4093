// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The headers that say which bytes of a clip an answer holds (RFC 9110).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace genclip {

struct ContentRange {
  uint64_t first = 0;  // Offset of the answer's first byte.
  uint64_t last = 0;   // Offset of its last one.
  uint64_t total = 0;  // Bytes of the whole; 0 when the server does not know ("*").
};

// "bytes 0-99/200"; anything else, and what contradicts itself, is nothing.
std::optional<ContentRange> parse_content_range(std::string_view text);

// The length in "bytes */200", which comes with a 416; 0 in anything else.
uint64_t parse_unsatisfied_range(std::string_view text);

// A Content-Length; 0 when it is missing or no number.
uint64_t parse_length(std::string_view text);

}  // namespace genclip
