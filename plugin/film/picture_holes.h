// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pictures of a film that stand for long, such as slides. Decoders tell how long a picture lasts by its
// codec's frame rate, so this shows only when the next one comes. Pure.
#pragma once

#include <optional>
#include <vector>

#include "plugin/film/film_cue.h"

namespace genclip {

class PictureHoles {
 public:
  // A picture at that time of the film, in their order.
  void saw(std::chrono::nanoseconds time);

  // A picture keeps its caption while it stands. The last one stands as long as the one before it, or to the
  // end of the film. `cues` in order.
  std::vector<FilmCue> hold(std::vector<FilmCue> cues, std::optional<std::chrono::nanoseconds> end) const;

 private:
  struct Hole {
    std::chrono::nanoseconds from{}, to{};
  };
  static void hold_in(const Hole &hole, std::vector<FilmCue> &cues);

  std::vector<Hole> holes_;
  std::optional<std::chrono::nanoseconds> last_;
};

}  // namespace genclip
