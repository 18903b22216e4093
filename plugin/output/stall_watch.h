// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When an output counts as stalled, and how long to wait before it is built again.
#pragma once

#include <chrono>
#include <cstdint>

#include "plugin/base/clock.h"

namespace genclip {

// Not thread-safe.
class StallWatch {
 public:
  // Of the time between two looks, this much counts: when the whole process was stopped, the output was too.
  static constexpr std::chrono::seconds kMostBetweenLooks{2};

  StallWatch(std::chrono::milliseconds limit, Clock::Time now) : limit_(limit), looked_(now) {}

  // `fed`: frames given to it so far; `left`: packets that left so far. True: for longer than the limit none
  // has left, although frames were given.
  bool stalled(uint64_t fed, uint64_t left, Clock::Time now);

 private:
  std::chrono::milliseconds limit_;
  Clock::Time looked_;
  Clock::Time::duration silent_{};
  uint64_t fed_ = 0;
  uint64_t left_ = 0;
};

class BackOff {
 public:
  BackOff(std::chrono::milliseconds first, std::chrono::milliseconds last)
      : first_(first), last_(last), next_(first) {}

  // After a build that failed: how long to wait. A build that worked for longer than the last wait begins
  // anew.
  std::chrono::milliseconds after(std::chrono::milliseconds worked);

 private:
  std::chrono::milliseconds first_, last_, next_;
};

}  // namespace genclip
