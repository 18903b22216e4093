// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides when to query a task again (§4.2, §8.3).
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "plugin/base/clock.h"

namespace genclip {

// Never earlier than the interval after the last answer. Jitter is only added, which spreads out many
// elements and keeps the service's minimum. A plain value; one thread.
class PollSchedule {
 public:
  // `jitter` in [0, 1) gives the random part, at most a tenth of the interval. No deadline: for ever.
  PollSchedule(std::chrono::milliseconds interval, std::optional<Clock::Time> deadline)
      : interval_(interval), deadline_(deadline) {}

  // Nothing when the deadline has passed. A poll that would come after the deadline is moved to it, and is
  // the last one.
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
