// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/picture_holes.h"

#include <algorithm>

namespace genclip {
namespace {

// No window ends in a shorter one and begins behind it.
constexpr std::chrono::seconds kLeast{1};

using std::chrono_literals::operator""ns;

}  // namespace

void PictureHoles::saw(std::chrono::nanoseconds time, const Window &window) {
  if (last_ && time - *last_ > kLeast) holes_.push_back({*last_, time, window});
  last_ = time;
}

// Of the picture behind it: its text was laid out for its whole window.
void PictureHoles::shift_behind(const Hole &hole, std::vector<FilmCue> &cues,
                                std::optional<std::chrono::nanoseconds> film) {
  if (hole.window.begin <= hole.from) return;
  const auto begin = std::ranges::lower_bound(cues, hole.window.begin, {}, &FilmCue::begin);
  const auto end = std::ranges::lower_bound(cues, hole.window.end, {}, &FilmCue::begin);
  if (begin == end || begin->begin >= hole.to) return;
  auto by = hole.to - begin->begin;
  const auto room = end != cues.end() ? end->begin : film;
  if (room) by = std::min(by, std::max(*room - std::prev(end)->end, 0ns));
  for (auto cue = begin; cue != end; ++cue) {
    cue->begin += by;
    cue->end += by;
  }
}

void PictureHoles::hold_in(const Hole &hole, std::vector<FilmCue> &cues) {
  auto next = std::ranges::lower_bound(cues, hole.to, {}, &FilmCue::begin);
  auto until = hole.to;
  // The window of the next picture may begin before it.
  for (; next != cues.begin() && std::prev(next)->end > hole.from; --next) {
    FilmCue &shown = *std::prev(next);
    shown.end = std::max(shown.end, until);
    until = shown.begin;
  }
}

std::vector<FilmCue> PictureHoles::hold(std::vector<FilmCue> cues,
                                        std::optional<std::chrono::nanoseconds> end) const {
  // The last one first: it makes room for those before it.
  for (auto hole = holes_.rbegin(); hole != holes_.rend(); ++hole) shift_behind(*hole, cues, end);
  for (const Hole &hole : holes_) hold_in(hole, cues);
  if (!holes_.empty() && holes_.back().to == last_) {
    const auto most = *last_ + (holes_.back().to - holes_.back().from);
    hold_in({*last_, std::min(most, end.value_or(most))}, cues);
  }
  return cues;
}

}  // namespace genclip
