// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides when to query a task again (§4.2, §8.3).
//
// With an interval, a query comes an interval after the last answer. Without one, the time follows from a
// forecast of the task's end. The service asks for 5 to 10 s between queries. A query costs something, and so
// does a completed clip that nobody has noticed yet. Of all sequences of queries, the one is chosen that is
// expected to cost least: few queries far from the end, one just after the likely moment, and close ones
// where the moment is uncertain.
#pragma once

#include <chrono>
#include <optional>

#include "plugin/base/clock.h"
#include "plugin/task/task_forecast.h"

namespace genclip {

// Jitter is only added, which spreads out many elements and keeps the service's minimum. A plain value; one
// thread.
class PollSchedule {
 public:
  // `interval`: 0 goes by the forecast. No deadline: for ever.
  PollSchedule(std::chrono::milliseconds interval, std::optional<Clock::Time> deadline)
      : interval_(interval), deadline_(deadline) {}

  // `jitter` in [0, 1) gives the random part. Nothing when the deadline has passed. A poll that would come
  // after the deadline is moved to it, and is the last one.
  std::optional<Clock::Time> next(Clock::Time now, double jitter, const Outlook &outlook = {}) const;

 private:
  std::chrono::milliseconds interval_;
  std::optional<Clock::Time> deadline_;
};

// Of two intervals, as PollSchedule has them.
std::chrono::milliseconds shorter_interval(std::chrono::milliseconds one, std::chrono::milliseconds other);

// Seconds to the next query, without jitter: from kShortestPause to kLongestPause.
double best_pause(const Outlook &outlook);
constexpr double kShortestPause = 5;
constexpr double kLongestPause = 9.5;

}  // namespace genclip
