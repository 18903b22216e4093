// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a BUFFERING message says of a generation. Players show PROGRESS nowhere, but all of them show
// BUFFERING.
#pragma once

#include <chrono>
#include <optional>

#include "plugin/generation/clip_status.h"

namespace genclip {

// One run's. Not thread-safe.
class BufferingGauge {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The percentage to post; nothing: it has been posted, or the pipeline waits for nothing, because it
  // `plays` or the clip is there. It never falls, and stays at 95 or less until the clip is there or has
  // failed; then 100 comes, once.
  std::optional<int> next(const GenerationState &state, Time now, bool plays);
  // The same at the end of the run.
  std::optional<int> end();
  bool has_ended() const { return has_ended_; }

 private:
  std::optional<int> told_;  // Nothing: no message is out that promises another one.
  Time begun_;
  bool has_ended_ = false;
};

}  // namespace genclip
