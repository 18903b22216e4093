// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Shows a film's captioning on standard error: two lines that stay in their place on a terminal, else a line
// for each tenth of the film.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/command/caption_view.h"

namespace genclip {

class CaptionScreen {
 public:
  // Quiet: shows nothing.
  explicit CaptionScreen(bool quiet);

  // The next film.
  void begin(std::string name, size_t number, size_t films);
  void show(const FilmProgress &progress);
  // The film that is shown has all of its captions, though its sound may last longer than its picture.
  void finish(const FilmProgress &progress);
  // Removes the lines before other text.
  void clear();

 private:
  void draw();
  void print_change(bool is_whole);

  const bool quiet_;
  const bool terminal_;
  FilmView view_;
  FilmPace pace_;
  int64_t drawn_at_ = 0;  // Microseconds.
  bool drawn_ = false;
  bool told_estimate_ = false;
  int64_t told_step_ = 0;
};

}  // namespace genclip
