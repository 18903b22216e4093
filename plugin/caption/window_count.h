// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How many windows, so captions, a stretch of film has; all times in nanoseconds.
#pragma once

#include <cstdint>

namespace genclip {

// The number of windows [k·interval, (k+1)·interval) that [start, end) touches.
constexpr uint64_t windows_between(uint64_t start, uint64_t end, uint64_t interval) {
  return end <= start || interval == 0 ? 0 : (end - 1) / interval - start / interval + 1;
}

// The most windows of [start, end) if cuts end them too, which all but the last outlast `least`, the shorter
// of min-interval and interval.
constexpr uint64_t most_windows_with_cuts(uint64_t start, uint64_t end, uint64_t least) {
  return end <= start ? 0 : windows_between(0, end - start, least);
}

}  // namespace genclip
