// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Cues of a film that say the same thing without a break between them. Pure.
#pragma once

#include <vector>

#include "plugin/film/film_cue.h"

namespace genclip {

// Cues that follow each other with the same text become one long cue, which players show without a flicker.
// Where there is silence between them, the text comes again, so they stay apart.
std::vector<FilmCue> join_equal_cues(std::vector<FilmCue> cues);

}  // namespace genclip
