// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The submitted tasks and their states.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "examples/simulator/clip_kitchen.h"
#include "examples/simulator/fault.h"
#include "examples/simulator/request_judge.h"
#include "plugin/base/clock.h"

namespace genclip::sim {

struct TaskTimes {
  std::chrono::milliseconds queued{50};
  std::chrono::milliseconds processing{150};
};

struct SimTask {
  std::string id;
  bool id_is_number = false;
  TaskApi api = TaskApi::tasks;
  std::string model;
  ClipOrder order;
  Clock::Time submitted;
  int64_t created = 0;  // Unix seconds
  // Set for a task that will fail or has failed, with this message and shape.
  std::optional<std::string> failure;
  ErrorShape failure_shape = ErrorShape::usual;
  bool failed_already = false;
  std::optional<Clock::Time> queried;
};

enum class TaskState { queued, processing, completed, failed };

struct TaskView {
  TaskState state = TaskState::queued;
  int progress = 0;
  std::string failure;
};

// Not thread-safe. Borrows the clock and the kitchen.
class TaskBook {
 public:
  TaskBook(const TaskTimes &times, uint64_t seed, const Clock &clock, ClipKitchen &kitchen)
      : times_(times), seed_(seed), clock_(clock), kitchen_(kitchen) {}

  SimTask &submit(TaskApi api, const Judgement &judgement, bool id_is_number);
  // Null for an unknown id.
  SimTask *find(TaskApi api, const std::string &id);
  TaskView view(const SimTask &task) const;
  double amount(const SimTask &task) const;

 private:
  const TaskTimes times_;
  const uint64_t seed_;
  const Clock &clock_;
  ClipKitchen &kitchen_;
  std::map<std::string, SimTask> tasks_;
};

const char *state_word(TaskState state);

}  // namespace genclip::sim
