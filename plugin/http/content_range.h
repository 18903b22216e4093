// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Content-Range: which bytes of a whole an answer holds (RFC 9110 §14.4).
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

// "bytes 0-99/200". Nothing for any other text, and for one that contradicts itself: a range that is misread
// would join two clips.
std::optional<ContentRange> parse_content_range(std::string_view text);

// True for any text that says which part it is, even one that contradicts itself; false for "bytes" alone.
bool states_range(std::string_view text);

// True when the part is all there is, which some servers answer to a request for no part.
bool is_whole(const ContentRange &range);

// The length in "bytes */200", which comes with a 416. Nothing for any other text.
std::optional<uint64_t> parse_unsatisfied_range(std::string_view text);

}  // namespace genclip
