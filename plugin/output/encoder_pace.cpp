// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/encoder_pace.h"

namespace genclip {

void EncoderPace::begin(std::chrono::nanoseconds lag, Clock::Time now) {
  since_ = now;
  first_lag_ = lag;
  seen_ = idle_ = 0;
}

bool EncoderPace::skips(std::chrono::nanoseconds lag, unsigned waiting, Clock::Time now) {
  const bool is_late = lag >= kBehind;
  const bool is_over = now - since_ >= kPatience;
  ++seen_;
  if (waiting == 0) ++idle_;
  if (is_slow_) {
    // While pictures are left out, none is late. But an encoder that is too slow always has some that wait.
    if (is_over) {
      is_slow_ = 2 * idle_ <= seen_;
      begin(lag, now);
    }
  } else if (!is_late || !was_late_ || (is_over && lag < first_lag_)) {
    begin(lag, now);
  } else if (is_over) {
    is_slow_ = true;
    begin(lag, now);
  }
  was_late_ = is_late;
  return is_slow_ && waiting >= kWaiting;
}

}  // namespace genclip
