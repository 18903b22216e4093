// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A caption of a film, as files and tracks have it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace genclip {

// [begin, end) in what players show as the time of the film: running time.
struct FilmCue {
  std::chrono::nanoseconds begin{}, end{};
  std::string text = {};  // Lines of plain text.

  friend bool operator==(const FilmCue &, const FilmCue &) = default;
};

// The captions in one language, in order of time.
struct FilmTrack {
  std::string language = {};  // "de"; empty: none was asked for.
  std::vector<FilmCue> cues = {};
};

}  // namespace genclip
