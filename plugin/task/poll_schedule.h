// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When to ask for a task again (§4.2, §8.3).
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "plugin/base/clock.h"

namespace genclip {

// Never earlier than the interval after the last answer: jitter only adds, so that many elements spread out
// and the service's minimum holds. A plain value; one thread.
class PollSchedule {
 public:
  // `jitter` in [0, 1) gives the random part, at most a tenth of the interval. No deadline: for ever.
  PollSchedule(std::chrono::milliseconds interval, std::optional<Clock::Time> deadline)
      : interval_(interval), deadline_(deadline) {}

  // Nothing when the deadline has passed; a poll that would come after it is moved onto it, as the last one.
  std::optional<Clock::Time> next(Clock::Time now, double jitter) const {
    if (deadline_ && now >= *deadline_) return std::nullopt;
    const auto pause =
        interval_ + std::chrono::duration_cast<Clock::Time::duration>(interval_ * (jitter / 10));
    const Clock::Time time = now + pause;
    return deadline_ ? std::min(time, *deadline_) : time;
  }

 private:
  std::chrono::milliseconds interval_;
  std::optional<Clock::Time> deadline_;
};

}  // namespace genclip
