// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where the lines and the cues of a text end: the best ways through all places where they may.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plugin/caption/cue_limits.h"
#include "plugin/caption/text_pieces.h"

namespace genclip {

enum class CueWish {
  phrases,  // cues that end with a sentence or a phrase, even if there are more of them
  few,
};

// Both return the number of pieces up to the end of each line or cue; the last one is the number of all.

// As few lines as possible, of about the same length, rather the first ones shorter.
std::vector<size_t> line_breaks(std::span<const TextPiece> pieces, size_t line_columns);

std::vector<size_t> cue_breaks(std::span<const TextPiece> pieces, const CueLimits &limits, CueWish wish);

}  // namespace genclip
