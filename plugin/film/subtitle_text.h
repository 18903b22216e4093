// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A file of subtitles as text. Pure.
#pragma once

#include <string>
#include <vector>

#include "plugin/film/film_cue.h"

namespace genclip {

// Times are rounded to the nearest millisecond; a cue that would have no time at all is left out. Nothing in
// a text starts a tag, an entity, another cue or a number of one. `timestamp_map`: see Subtitles.
std::string vtt_text(const std::vector<FilmCue> &cues, const std::string &timestamp_map = {});
// SubRip has no entities: "<" stays as it is.
std::string srt_text(const std::vector<FilmCue> &cues);

}  // namespace genclip
