// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/equal_cues.h"

#include <utility>

namespace genclip {

std::vector<FilmCue> join_equal_cues(std::vector<FilmCue> cues) {
  std::vector<FilmCue> joined;
  for (FilmCue &cue : cues) {
    const bool goes_on = !joined.empty() && joined.back().end == cue.begin && joined.back().text == cue.text;
    if (goes_on)
      joined.back().end = cue.end;
    else
      joined.push_back(std::move(cue));
  }
  return joined;
}

}  // namespace genclip
