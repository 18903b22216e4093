// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which pictures are left out in front of an encoder that is too slow. Without that, the picture would fall
// behind the sound for as long as the encoder is too slow, and the sound, which waits for room beside the
// picture, would fail.
#pragma once

#include <chrono>

#include "plugin/base/clock.h"

namespace genclip {

// Not thread-safe.
class EncoderPace {
 public:
  // So far behind the clock is what comes on time at worst.
  static constexpr std::chrono::milliseconds kBehind{500};
  // A hiccup is not too slow: behind it, the encoder catches up. One that is not nearer to the clock so long
  // after the first late picture never will be. Outputs keep the sound of 5 s for its pictures.
  static constexpr std::chrono::seconds kPatience{5};
  // So many pictures wait for an encoder that is too slow: fewer would let it rest, more would be old. Its
  // queue must have room for more.
  static constexpr unsigned kWaiting = 3;

  // For each picture that comes: how far the clock is past it, and how many wait for the encoder already.
  // True: leave it out.
  bool skips(std::chrono::nanoseconds lag, unsigned waiting, Clock::Time now);

 private:
  void begin(std::chrono::nanoseconds lag, Clock::Time now);

  bool is_slow_ = false;
  bool was_late_ = false;
  // What is judged: from this time on, of so many pictures, with none waiting at so many of them.
  Clock::Time since_{};
  std::chrono::nanoseconds first_lag_{};
  unsigned seen_ = 0, idle_ = 0;
};

}  // namespace genclip
