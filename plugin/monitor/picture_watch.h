// SPDX-License-Identifier: LGPL-2.1-or-later
//
// For how long the picture and the sound that leave have stood still. The program feeds it from the pads that
// go to its outputs.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plugin/base/mutex.h"

namespace genclip {

// Any thread. Costs about a millisecond for a frame of 1280x720.
class PictureWatch {
 public:
  // One frame that leaves: its luma (8 bits; of I420 and NV12 the first plane), and for how long it is shown.
  // A picture has changed when a part of it has become visibly brighter or darker; noise of one level is no
  // change.
  void see(const uint8_t *luma, size_t width, size_t height, size_t stride, std::chrono::nanoseconds duration)
      EXCLUDES(mutex_);

  // The next samples, of all channels (interleaved or not). Below -60 dBFS they are silence.
  void hear(std::span<const float> samples, std::chrono::nanoseconds duration) EXCLUDES(mutex_);

  std::chrono::nanoseconds still_for() const EXCLUDES(mutex_);
  std::chrono::nanoseconds silent_for() const EXCLUDES(mutex_);

 private:
  static constexpr size_t kColumns = 32, kRows = 18;
  using Cells = std::array<uint8_t, kColumns * kRows>;

  static Cells cells_of(const uint8_t *luma, size_t width, size_t height, size_t stride);

  mutable Mutex mutex_;
  bool has_seen_ GUARDED_BY(mutex_) = false;
  Cells seen_ GUARDED_BY(mutex_) = {};  // Of the frame with which the picture came to a stand.
  std::chrono::nanoseconds still_for_ GUARDED_BY(mutex_){};
  std::chrono::nanoseconds silent_for_ GUARDED_BY(mutex_){};
};

}  // namespace genclip
