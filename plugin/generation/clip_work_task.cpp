// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Asks the service: submit, attach, poll.
#include <algorithm>

#include "plugin/generation/clip_work.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/status_word.h"
#include "plugin/task/poll_schedule.h"
#include "plugin/task/service_message.h"
#include "plugin/task/task_log.h"

namespace genclip {
namespace {

constexpr unsigned kMaxEmptyCompletions = 5;

bool says_unknown(const Error &error) { return error.http_status == 404 || error.http_status == 410; }

}  // namespace

Result<std::string> ClipWork::attach() {
  const GenerationJob &job = generation_.job();
  if (job.timeout.count() > 0) deadline_ = clock_.now() + job.timeout;
  record_.state = ClipState::submitted;
  record_.error.clear();
  record_.http_status = 0;
  if (!is_unheard_of_)
    if (auto saved = save(); !saved) return std::move(saved).error();
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::queued;
    state.task_id = record_.task_id;
    state.reused = true;
  });
  return record_.task_id;
}

Result<std::string> ClipWork::submit() {
  const GenerationJob &job = generation_.job();
  if (g_cancellable_is_cancelled(generation_.cancellable())) return cancelled();
  if (job.timeout.count() > 0) deadline_ = clock_.now() + job.timeout;
  const ExitGuard guard;
  if (auto removed = folder_.discard_part(); !removed) return std::move(removed).error();
  record_.state = ClipState::intent;
  record_.submitted_at =
      std::chrono::duration_cast<std::chrono::seconds>(clock_.wall_now().time_since_epoch()).count();
  record_.updated_at = record_.submitted_at;
  if (auto intended = folder_.write_intent(record_); !intended) return std::move(intended).error();
  generation_.change([](GenerationState &state) { state.status = ClipStatus::submitting; });

  auto task = tasks_.submit(*job.request, generation_.cancellable(), deadline_);
  if (!task) {
    SubmitFailure &failure = task.error();
    record_.error = failure.error.text;
    record_.http_status = failure.error.http_status;
    record_.state = failure.outcome_unknown ? ClipState::ambiguous : ClipState::refused;
    if (failure.outcome_unknown)
      save_if_possible();
    else
      give_up_task();
    return std::move(failure.error);
  }
  is_new_ = true;
  record_.state = ClipState::submitted;
  record_.task_id = task->id;
  record_.amount = std::max(record_.amount, task->amount);
  if (auto saved = save(); !saved) {
    Error error = std::move(saved).error();
    error.text +=
        " The task " + task->id +
        " was accepted, but its ID is not in the store: set task-id to it when you run again, or the "
        "clip is paid twice.";
    error.task_id = task->id;
    return error;
  }
  show(*task);
  return task->id;
}

Result<Task> ClipWork::query(const std::string &task_id, std::optional<Clock::Time> deadline) {
  auto task = tasks_.query(task_id, is_new_, generation_.cancellable(), deadline);
  if (!task) return says_unknown(task.error()) ? lose_task(std::move(task).error()) : std::move(task).error();
  is_new_ = is_unheard_of_ = false;  // It is known now: from here on a 404 means that it is gone.
  show(*task);
  return task;
}

// Whether the service knows the task after all: once is not for ever, and asking costs nothing.
Result<bool> ClipWork::knows(const ClipRecord &lost) {
  auto task = tasks_.query(lost.task_id, false, generation_.cancellable());
  if (task) return true;
  if (says_unknown(task.error())) return false;
  return std::move(task).error();
}

// Its clip cannot be had any more. That is said once, before anything is paid anew.
Error ClipWork::lose_task(Error error) {
  error.kind = ErrorKind::not_found;
  error.text = "The service does not know the task " + record_.task_id +
               (generation_.job().task_id.empty() ? " of this request any more." : ".") +
               it_says(error.service_message);
  error.text +=
      generation_.job().task_id.empty()
          ? " Check base-url and the API key. If they are right, run again: the task is asked for once "
            "more and, when it is still unknown, the request is submitted, and charged, again."
          : " Check task-id, base-url and the API key, or unset task-id.";
  if (is_unheard_of_) return error;
  record_.state = ClipState::lost;
  record_.error = error.text;
  record_.http_status = error.http_status;
  give_up_task();
  return error;
}

// The URL of the finished clip.
Result<std::string> ClipWork::follow(const std::string &task_id) {
  warn_of_poll_interval(generation_.job().poll_interval, generation_.job().endpoint.base_url);
  const PollSchedule schedule(generation_.job().poll_interval, deadline_);
  unsigned empty_completions = 0;
  for (bool first = true;; first = false) {
    // A task that was there already may be done by now: it is asked for at once.
    if (!first || is_new_) {
      const auto next = schedule.next(clock_.now(), g_random_double());
      if (!next) {
        Error late{ErrorKind::timed_out,
                   "The task is not done after " + std::to_string(generation_.job().timeout.count()) +
                       " s (property timeout). It goes on at the service: run again to attach to it."};
        late.task_id = task_id;
        return late;
      }
      if (!clock_.sleep_until(*next, generation_.cancellable())) return cancelled();
    }
    auto task = query(task_id, deadline_);
    if (!task) return std::move(task).error();
    if (task->status == TaskStatus::failed) {
      record_.state = ClipState::failed;
      record_.error = task->error_message;
      give_up_task();
      return task_failed(task->error_message);
    }
    if (task->status == TaskStatus::completed) {
      if (!task->clip_url.empty()) return task->clip_url;
      if (++empty_completions >= kMaxEmptyCompletions) {
        Error empty{
            ErrorKind::not_found,
            "The task is done, but the service gives no URL of its clip. Run again later to ask anew, or ask "
            "the service for the clip by its task ID."};
        empty.task_id = task_id;
        return empty;
      }
    }
    if (task->status == TaskStatus::unknown && !warned_of_status_) {
      warned_of_status_ = true;
      warn("The service reports the unknown status \"" + task->status_word +
           "\". It is asked again until the timeout.");
    }
  }
}

// What others see of it is in the journal; a full disk must not end a generation for that.
void ClipWork::show(const Task &task) {
  const std::string status = record_.status;
  const int progress = record_.progress;
  generation_.change([&](GenerationState &state) {
    state.task_id = record_.task_id;
    // The model of a task that the user named is known to the service alone.
    if (!generation_.job().task_id.empty() && !task.model.empty()) record_.model = state.model = task.model;
    if (task.status == TaskStatus::queued) state.status = ClipStatus::queued;
    if (task.status == TaskStatus::processing) state.status = ClipStatus::processing;
    if (state.status == ClipStatus::submitting) state.status = ClipStatus::queued;
    if (task.progress >= 0) state.progress = task.progress;
    if (task.amount >= 0) state.amount = task.amount;
    if (task.actual_duration >= 0) state.actual_duration = task.actual_duration;
    record_.status = status_word(state.status);
    record_.progress = state.progress;
    record_.amount = state.amount;
    record_.actual_duration = state.actual_duration;
  });
  if (record_.status != status || record_.progress != progress) save_if_possible();
}

Error ClipWork::task_failed(const std::string &message) const {
  Error error{ErrorKind::failed, "The service could not generate the clip."};
  error.text += it_says(message);
  error.text += " Change the request, or run again to try anew.";
  error.task_id = record_.task_id;
  error.service_message = message;
  return error;
}

}  // namespace genclip
