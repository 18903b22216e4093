// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/stall_watch.h"

#include <algorithm>

namespace genclip {

bool StallWatch::stalled(uint64_t fed, uint64_t left, Clock::Time now) {
  silent_ += std::min<Clock::Time::duration>(now - looked_, kMostBetweenLooks);
  looked_ = now;
  if (left != left_ || fed == fed_) {
    left_ = left;
    fed_ = fed;
    silent_ = {};
  }
  return silent_ > limit_;
}

std::chrono::milliseconds BackOff::after(std::chrono::milliseconds worked) {
  if (worked > last_) next_ = first_;
  const auto wait = next_;
  next_ = std::min(next_ * 2, last_);
  return wait;
}

}  // namespace genclip
