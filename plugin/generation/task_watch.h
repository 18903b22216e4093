// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How long a run has waited for its task, and how long it may still be.
#pragma once

#include <optional>
#include <vector>

#include "plugin/account/wait_history.h"
#include "plugin/base/clock.h"
#include "plugin/task/task.h"
#include "plugin/task/task_forecast.h"

namespace genclip {

// One thread. Borrows the clock, which must outlive it.
class TaskWatch {
 public:
  // A task that this run has submitted now.
  static TaskWatch of_submitted(Clock &clock, const std::vector<Wait> &past);
  // One that an earlier run has submitted, at a time of the journal (Unix seconds; 0: unknown).
  static TaskWatch of_known(Clock &clock, const std::vector<Wait> &past, int64_t submitted_at);

  // The service has told this of it now.
  void saw(const Task &task);

  Outlook outlook() const { return forecast_.outlook(since(begin_)); }

  // How long it took, for a task that this run submitted, followed without a break, and saw completed. A run
  // that looked seldom does not know, nor one whose machine slept.
  std::optional<Wait> wait() const { return wait_; }

 private:
  TaskWatch(Clock &clock, const std::vector<Wait> &past, Clock::Time begin);

  double since(Clock::Time time) const;

  Clock *clock_;
  Clock::Time begin_;       // The answer to the submit.
  Clock::Time unfinished_;  // The last answer that it is not completed.
  Clock::WallTime wall_begin_;
  bool is_own_ = false;
  TaskForecast forecast_;
  std::optional<Wait> wait_;
};

}  // namespace genclip
