// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which time of day a frame has: the start of the run and its running time, so that a busy machine, whose
// frames come late, moves no time.
#pragma once

#include <chrono>
#include <optional>

#include "plugin/base/clock.h"

namespace genclip {

// One thread.
class RunStart {
 public:
  // The time of day at which the running time was 0. `wall` and `running`: both are now.
  Clock::WallTime of(Clock::WallTime wall, std::chrono::nanoseconds running) {
    const Clock::WallTime start = wall - std::chrono::duration_cast<Clock::WallTime::duration>(running);
    if (!start_ || std::chrono::abs(start - *start_) > kClockIsSet) start_ = start;
    return *start_;
  }

 private:
  // By more than that, somebody has set the clock, or the machine has slept. Less is left as it is: a thread
  // may rest between its looks at both clocks.
  static constexpr std::chrono::seconds kClockIsSet{1};
  std::optional<Clock::WallTime> start_;
};

}  // namespace genclip
