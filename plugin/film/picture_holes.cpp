// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/picture_holes.h"

#include <algorithm>

namespace genclip {
namespace {

// No window ends in a shorter one and begins behind it.
constexpr std::chrono::seconds kLeast{1};

}  // namespace

void PictureHoles::saw(std::chrono::nanoseconds time) {
  if (last_ && time - *last_ > kLeast) holes_.push_back({*last_, time});
  last_ = time;
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
  for (const Hole &hole : holes_) hold_in(hole, cues);
  if (!holes_.empty() && holes_.back().to == last_) {
    const auto most = *last_ + (holes_.back().to - holes_.back().from);
    hold_in({*last_, std::min(most, end.value_or(most))}, cues);
  }
  return cues;
}

}  // namespace genclip
