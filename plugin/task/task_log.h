// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes the log category genclip-task: a long outage at WARNING, a task's transitions at INFO, polls at
// DEBUG; never a key or a clip's URL.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/error.h"
#include "plugin/task/task.h"

namespace genclip {

// Follows one task at a time; one thread.
class TaskLog {
 public:
  void submitted(const Task &task);
  void submit_again(const Error &failure, std::chrono::milliseconds pause) const;
  void key_renewed(const Error &refusal) const;
  // `task_id` is the queried one, as an answer may have none.
  void polled(const std::string &task_id, const Task &task, Clock::Time now);
  // Warns once of an outage that lasts; polled() reports its end.
  void poll_again(const Error &failure, std::chrono::milliseconds pause, Clock::Time now);

 private:
  std::optional<TaskStatus> last_;
  std::optional<Clock::Time> silent_since_;
  bool told_of_outage_ = false;
};

// Warns when a service that is not on this machine is polled more or less often than it asks for (§4.2,
// §8.3).
void warn_of_poll_interval(std::chrono::milliseconds interval, const std::string &base_url);

}  // namespace genclip
