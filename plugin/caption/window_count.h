// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How many windows, so captions, a stretch of film has; all times in nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

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

struct WindowRules {
  uint64_t interval = 0;
  std::optional<uint64_t> min_interval = {};  // Where cuts end windows, too.
};

struct WindowCount {
  uint64_t windows = 0;  // Of `interval`.
  uint64_t most = 0;     // That cuts may make of them.
};

// Of [start, end). What a dry run promises and what a run announces are this one count.
constexpr WindowCount count_windows(uint64_t start, uint64_t end, const WindowRules &rules) {
  WindowCount count;
  count.windows = windows_between(start, end, rules.interval);
  count.most = rules.min_interval
                   ? most_windows_with_cuts(start, end, std::min(*rules.min_interval, rules.interval))
                   : count.windows;
  return count;
}

}  // namespace genclip
