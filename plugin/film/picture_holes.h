// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pictures of a film that stand for long, such as slides. Decoders tell how long a picture lasts by its
// codec's frame rate, so this shows only when the next one comes. gencaption's windows do not follow them: it
// gives a picture the window that it lies in, although an earlier picture stands at the beginning of it.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "plugin/film/film_cue.h"

namespace genclip {

class PictureHoles {
 public:
  // A picture at that time of the film, in their order. `window`: that it lies in, from its beginning to its
  // end; both are `time` where windows begin with pictures.
  struct Window {
    std::chrono::nanoseconds begin{}, end{};
  };
  void saw(std::chrono::nanoseconds time, const Window &window);

  // A caption begins with its picture, unless it would have less time then, and stands while its picture
  // does. The last picture stands as long as the one before it, or to the end of the film. `cues` in order.
  std::vector<FilmCue> hold(std::vector<FilmCue> cues, std::optional<std::chrono::nanoseconds> end) const;

 private:
  struct Hole {
    std::chrono::nanoseconds from{}, to{};
    Window window;  // of the picture at its end
  };
  static void shift_behind(const Hole &hole, std::vector<FilmCue> &cues,
                           std::optional<std::chrono::nanoseconds> film);
  static void hold_in(const Hole &hole, std::vector<FilmCue> &cues);

  std::vector<Hole> holes_;
  std::optional<std::chrono::nanoseconds> last_;
};

}  // namespace genclip
