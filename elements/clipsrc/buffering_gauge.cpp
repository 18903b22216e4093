// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/clipsrc/buffering_gauge.h"

#include <algorithm>
#include <utility>

namespace genclip {
namespace {

constexpr int kMostWhileWaiting = 95;

bool is_waiting(ClipStatus status) {
  switch (status) {
    case ClipStatus::waiting:
    case ClipStatus::preparing:
    case ClipStatus::submitting:
    case ClipStatus::queued:
    case ClipStatus::processing: return true;
    default: return false;
  }
}

// While preparing, the progress is that of one clip of several.
int percent_of(const GenerationState &state, double elapsed) {
  double percent = 0;
  if (state.progress >= 0 && state.status != ClipStatus::preparing)
    percent = state.progress;
  else if (state.eta >= 0 && elapsed > 0)
    percent = 100 * elapsed / (elapsed + state.eta);
  return std::min(static_cast<int>(percent), kMostWhileWaiting);
}

}  // namespace

std::optional<int> BufferingGauge::next(const GenerationState &state, Time now, bool plays) {
  if (!is_waiting(state.status)) return state.status == ClipStatus::idle ? std::nullopt : end();
  if (has_ended_ || plays) return std::nullopt;
  if (!told_) begun_ = now;
  const int percent = percent_of(state, std::chrono::duration<double>(now - begun_).count());
  if (told_ && percent <= *told_) return std::nullopt;
  told_ = percent;
  return percent;
}

std::optional<int> BufferingGauge::end() {
  has_ended_ = true;
  if (!std::exchange(told_, std::nullopt)) return std::nullopt;
  return 100;
}

}  // namespace genclip
