// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/cue_row.h"

#include <algorithm>
#include <utility>

namespace genclip {
namespace {

// Texts that touch each other might be taken for one.
constexpr std::chrono::seconds kGap{1};

}  // namespace

CueRow::CueRow(std::vector<FilmCue> cues) : cues_(std::move(cues)) {
  std::chrono::nanoseconds at{};
  for (const FilmCue &cue : cues_) {
    const auto end = at + (cue.end - cue.begin);
    row_.push_back({at, end, cue.text});
    at = end + kGap;
  }
}

FilmCue CueRow::back(FilmCue cue) const {
  const auto next = std::ranges::upper_bound(row_, cue.begin, {}, &FilmCue::begin);
  if (next == row_.begin()) return cue;
  const auto index = static_cast<size_t>(next - row_.begin()) - 1;
  const auto shift = cues_[index].begin - row_[index].begin;
  cue.begin += shift;
  cue.end += shift;
  return cue;
}

std::vector<FilmCue> CueRow::all_back(std::vector<FilmCue> cues) const {
  for (FilmCue &cue : cues) cue = back(std::move(cue));
  std::ranges::stable_sort(cues, {}, &FilmCue::begin);
  return cues;
}

}  // namespace genclip
