// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What people can read: the limits of a cue, and the sentence that tells a model of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace genclip {

// 0: no limit. Columns: an East Asian wide character has two, a combining mark none.
struct CueLimits {
  unsigned line_columns = 0;
  unsigned lines = 0;               // of one cue
  unsigned columns_per_second = 0;  // how fast a cue may have to be read
  bool any() const { return line_columns > 0 || lines > 0 || columns_per_second > 0; }
};

// One sentence for a prompt, empty without limits. `duration`: how long the answer is shown, in nanoseconds,
// if that is known. `shortest`: it may also be shown for this time only, which turns out later; 0: it is not.
std::string sentence_about(const CueLimits &limits, std::optional<uint64_t> duration, uint64_t shortest = 0);

}  // namespace genclip
