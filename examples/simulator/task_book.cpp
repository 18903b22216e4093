// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clock drives the states, but no task completes before its clip is rendered.
#include "examples/simulator/task_book.h"

#include <algorithm>
#include <cstdio>

namespace genclip::sim {
namespace {

// A well mixed number, reproducible for the same seed (splitmix64).
uint64_t mixed(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

std::string new_id(uint64_t seed, size_t number, bool is_number) {
  const uint64_t random = mixed(seed ^ mixed(number));
  // Below 2^53, so that every JSON reader keeps the number exactly.
  if (is_number) return std::to_string((uint64_t{1} << 52) | random >> 13);
  char text[32];
  std::snprintf(text, sizeof text, "task_%016llx", static_cast<unsigned long long>(random));
  return text;
}

std::chrono::milliseconds random_time(const TimeRange &range, uint64_t random) {
  if (range.most <= range.least) return range.least;
  const auto width = static_cast<uint64_t>((range.most - range.least).count()) + 1;
  return range.least + std::chrono::milliseconds(random % width);
}

// The same prompt always has the same fate.
bool is_moderated(const std::string &prompt, uint64_t seed, double share) {
  return static_cast<double>(mixed(seed ^ g_str_hash(prompt.c_str())) >> 11) < share * 0x1p53;
}

// What the model's prices depend on beside the seconds: its resolution, or the size of models that have that.
std::string resolution_of(const Model &model, const Json &request) {
  for (const char *name : {"resolution", "size"})
    if (const Json *value = effective_value(model, request, name); value && value->string())
      return *value->string();
  return "";
}

Json references_json(const SimTask &task) {
  Json::Array all;
  for (const Reference &reference : task.references)
    all.push_back(Json::Object{{"field", reference.field},
                               {"url", reference.url},
                               {"media_type", reference.media_type},
                               {"sha256", reference.sha256}});
  return all;
}

}  // namespace

const char *state_word(TaskState state) {
  switch (state) {
    case TaskState::queued: return "queued";
    case TaskState::processing: return "processing";
    case TaskState::completed: return "completed";
    case TaskState::failed: return "failed";
  }
  return "";
}

SimTask &TaskBook::submit(TaskApi api, const Judgement &judgement, bool id_is_number) {
  SimTask task;
  task.id = new_id(seed_, tasks_.size(), id_is_number);
  task.id_is_number = id_is_number;
  task.api = api;
  task.model = judgement.model->id;
  task.resolution = resolution_of(*judgement.model, judgement.request);
  task.order = clip_order(*judgement.model, judgement.request);
  task.price = prices_.price({task.model, task.resolution, task.order});
  const uint64_t random = mixed(~seed_ ^ mixed(tasks_.size()));
  task.queued = random_time(fates_.queued, random);
  task.processing = random_time(fates_.processing, mixed(random));
  if (is_moderated(task.order.prompt, seed_, fates_.moderated))
    task.failure = "The prompt was refused by content moderation.";
  task.submitted = clock_.now();
  task.created =
      std::chrono::duration_cast<std::chrono::seconds>(clock_.wall_now().time_since_epoch()).count();
  task.references = references_of(*judgement.model, judgement.request);
  ids_.push_back(task.id);
  SimTask &kept = tasks_.insert_or_assign(task.id, task).first->second;
  fetch_references(kept);
  return kept;
}

void TaskBook::fetch_references(SimTask &task) {
  for (Reference &reference : task.references) {
    if (!fetcher_ || !is_on_loopback(reference.url)) continue;
    ++task.missing_references;
    fetcher_->fetch(reference.url, [this, &task, &reference](const Result<GRef<GBytes>> &bytes) {
      arrived(task, reference, bytes);
    });
  }
  if (task.missing_references == 0) kitchen_.order(task.order);
}

void TaskBook::arrived(SimTask &task, Reference &reference, const Result<GRef<GBytes>> &bytes) {
  const auto accepted =
      bytes ? accept(reference, *bytes)
            : Error{ErrorKind::failed, reference.field + " cannot be fetched: " + bytes.error().text};
  if (!accepted && !task.failure) task.failure = accepted.error().text;
  const GivenPicture picture{reference.sha256, reference.bytes};
  if (reference.role == Reference::Role::first_frame) task.order.first_frame = picture;
  if (reference.role == Reference::Role::last_frame) task.order.last_frame = picture;
  if (--task.missing_references == 0 && !task.failure) kitchen_.order(task.order);
}

SimTask *TaskBook::find(TaskApi api, const std::string &id) {
  const auto found = tasks_.find(id);
  return found == tasks_.end() || found->second.api != api ? nullptr : &found->second;
}

unsigned TaskBook::count_running() const {
  return static_cast<unsigned>(std::ranges::count_if(tasks_, [&](const auto &entry) {
    const TaskState state = view(entry.second).state;
    return state == TaskState::queued || state == TaskState::processing;
  }));
}

TaskView TaskBook::view(const SimTask &task) const {
  if (task.failed_already) return {TaskState::failed, 0, task.failure.value_or("")};
  const auto elapsed = clock_.now() - task.submitted;
  if (elapsed < task.queued) return {TaskState::queued, 0, {}};
  const std::chrono::duration<double> worked = elapsed - task.queued, all = task.processing;
  if (worked < all) return {TaskState::processing, static_cast<int>(99 * (worked / all)), {}};
  if (task.failure) return {TaskState::failed, 99, *task.failure};
  if (task.missing_references > 0) return {TaskState::processing, 99, {}};
  const auto rendered = kitchen_.outcome(task.order);
  if (!rendered) return {TaskState::processing, 99, {}};
  if (!*rendered) return {TaskState::failed, 99, rendered->error().text};
  return {TaskState::completed, 100, {}};
}

std::optional<double> TaskBook::cost(const SimTask &task, TaskState state) const {
  switch (state) {
    case TaskState::completed: return task.price;
    case TaskState::failed: return prices_.charges_failures() ? task.price : 0;
    default: return std::nullopt;
  }
}

Json TaskBook::account() const {
  double spent = 0;
  Json::Array tasks;
  for (const std::string &id : ids_) {
    const SimTask &task = tasks_.at(id);
    const TaskState state = view(task).state;
    const auto cost = this->cost(task, state);
    spent += cost.value_or(0);
    tasks.push_back(Json::Object{{"id", task.id},
                                 {"model", task.model},
                                 {"duration", task.order.seconds},
                                 {"resolution", task.resolution},
                                 {"status", state_word(state)},
                                 {"cost", cost ? Json(*cost) : Json()},
                                 {"told", task.tells_amount},
                                 {"references", references_json(task)}});
  }
  return Json::Object{{"spent", spent}, {"tasks", std::move(tasks)}};
}

}  // namespace genclip::sim
