// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The submitted tasks and their states.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "examples/simulator/clip_kitchen.h"
#include "examples/simulator/fault.h"
#include "examples/simulator/price_list.h"
#include "examples/simulator/reference_fetcher.h"
#include "examples/simulator/reference_list.h"
#include "examples/simulator/request_judge.h"
#include "plugin/base/clock.h"

namespace genclip::sim {

struct TimeRange {
  std::chrono::milliseconds least{0}, most{0};  // Always `least` unless `most` is above.
};

// What happens to tasks.
struct TaskFates {
  TimeRange queued, processing;
  double moderated = 0;  // This part of all prompts fails.
};

struct SimTask {
  std::string id;
  bool id_is_number = false;
  TaskApi api = TaskApi::tasks;
  std::string model;
  std::string resolution;  // Or the size; empty: neither.
  ClipOrder order;
  std::vector<Reference> references;
  size_t missing_references = 0;  // Those that are being fetched; until they are there, nothing is rendered.
  double price = 0;               // Credits, if it completes.
  bool tells_amount = true;
  std::chrono::milliseconds queued{0}, processing{0};
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

// Not thread-safe. Borrows the prices, the clock and the kitchen.
class TaskBook {
 public:
  // `fetcher` may be null: no reference is fetched.
  TaskBook(const TaskFates &fates, uint64_t seed, const PriceList &prices, const Clock &clock,
           ClipKitchen &kitchen, std::unique_ptr<ReferenceFetcher> fetcher)
      : fates_(fates),
        seed_(seed),
        prices_(prices),
        clock_(clock),
        kitchen_(kitchen),
        fetcher_(std::move(fetcher)) {}

  SimTask &submit(TaskApi api, const Judgement &judgement, bool id_is_number);
  // Null for an unknown id.
  SimTask *find(TaskApi api, const std::string &id);
  TaskView view(const SimTask &task) const;
  // How many have not ended.
  unsigned count_running() const;
  // Credits, whether or not they are told: of a completed task its price, of a failed one what the prices
  // say. Nothing: in that state it has not ended.
  std::optional<double> cost(const SimTask &task, TaskState state) const;
  // All tasks, their references and the sum of their costs, as the control endpoint answers it.
  Json account() const;

 private:
  void fetch_references(SimTask &task);
  void arrived(SimTask &task, Reference &reference, const Result<GRef<GBytes>> &bytes);

  const TaskFates fates_;
  const uint64_t seed_;
  const PriceList &prices_;
  const Clock &clock_;
  ClipKitchen &kitchen_;
  std::map<std::string, SimTask> tasks_;
  std::vector<std::string> ids_;  // In the order of their submits.
  // Last, because what it fetches arrives at a task.
  const std::unique_ptr<ReferenceFetcher> fetcher_;
};

const char *state_word(TaskState state);

}  // namespace genclip::sim
