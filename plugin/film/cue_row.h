// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Cues one behind another, and their way back. Pure.
//
// gencaption gets texts as a stream, in which one text stands at a time: it joins those that overlap. Here
// each cue gets a time of its own with the length that it has, so all of them come through alone, and what
// comes out is moved back to the time of its cue.
#pragma once

#include <vector>

#include "plugin/film/film_cue.h"

namespace genclip {

class CueRow {
 public:
  // In the order in which they are to be sent.
  explicit CueRow(std::vector<FilmCue> cues);

  // With the times of the row.
  const std::vector<FilmCue> &row() const { return row_; }
  // A cue of the row, or a part of one, at its time in the film.
  FilmCue back(FilmCue cue) const;
  // All that have come out, in the order of their beginnings: the parts of a long cue stand among others.
  std::vector<FilmCue> all_back(std::vector<FilmCue> cues) const;

 private:
  std::vector<FilmCue> cues_;
  std::vector<FilmCue> row_;
};

}  // namespace genclip
