// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/frame_sampler.h"

#include <algorithm>
#include <limits>

namespace genclip {

FrameSampler::FrameSampler(uint64_t interval, unsigned frames)
    : interval_(std::max<uint64_t>(interval, 1)), frames_(std::max(frames, 1u)) {}

FrameSampler::Decision FrameSampler::on_frame(uint64_t stream_time, bool falling, uint64_t lasts) {
  uint64_t window = stream_time / interval_;
  const uint64_t inside = stream_time % interval_;
  // No overflow: a window is at most a day and has at most 16 steps.
  const uint64_t step = window * frames_ + inside * frames_ / interval_;

  Decision decision;
  if (window_ && (falling ? window > *window_ : window < *window_)) return decision;
  if (step_ != step) {
    step_ = step;
    decision.keep = frames_ > 1;
  }
  if (window_ == window && !falling && lasts > interval_) ++window;
  if (window_ != window) {
    window_ = window;
    const uint64_t start = window * interval_;
    const uint64_t room = std::numeric_limits<uint64_t>::max() - 1 - start;
    decision.keep = true;
    decision.window = Window{start, start + std::min(interval_, room)};
  }
  return decision;
}

void FrameSampler::reset() {
  window_.reset();
  step_.reset();
}

}  // namespace genclip
