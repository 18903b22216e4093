// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lock, journal, submit, poll, download, commit.
#include "plugin/generation/clip_work.h"

#include <algorithm>

#include "plugin/generation/download.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation.h"
#include "plugin/task/poll_schedule.h"
#include "plugin/task/task_log.h"

namespace genclip {
namespace {

constexpr auto kLockPause = std::chrono::milliseconds(100);
constexpr unsigned kMaxEmptyCompletions = 5;

int64_t unix_seconds(const Clock &clock) {
  return std::chrono::duration_cast<std::chrono::seconds>(clock.wall_now().time_since_epoch()).count();
}

}  // namespace

ClipWork::ClipWork(Generation &generation)
    : generation_(generation),
      clock_(*generation.services().clock),
      retries_(generation.job().retries),
      tasks_(*generation.services().http, clock_, generation.job().endpoint, retries_) {
  record_.identity = generation.job().identity;
  record_.model = generation.job().model;
}

Result<void> ClipWork::run() {
  const GenerationJob &job = generation_.job();
  auto folder = ClipFolder::open(*generation_.services().files, ClipPath(job.store, job.identity.digest()));
  if (!folder) return std::move(folder).error();
  auto lock = lock_folder(*folder);
  if (!lock) return std::move(lock).error();
  auto found = find_record(*folder);
  if (!found) return std::move(found).error();
  if (*found && (*found)->state == ClipState::complete) {
    const auto served = serve_stored(*folder, **found);
    if (!served) return served.error();
    if (*served) return {};
  }
  auto task_id = task_to_follow(*folder, *found);
  if (!task_id) return std::move(task_id).error();
  auto url = follow(*task_id);
  if (!url) {
    if (record_.state == ClipState::failed)
      if (auto saved = save(*folder); !saved) return saved;
    return std::move(url).error();
  }
  return fetch(*folder, *url);
}

// Another generation, here or in another process, may be at work on the same clip: then what it leaves is
// used.
Result<StoreLock> ClipWork::lock_folder(const ClipFolder &folder) {
  for (;;) {
    auto lock = StoreLock::try_lock(folder.path().lock());
    if (!lock) return std::move(lock).error();
    if (*lock) return std::move(**lock);
    if (!clock_.sleep_until(clock_.now() + kLockPause, generation_.cancellable())) return cancelled();
  }
}

Result<std::optional<ClipRecord>> ClipWork::find_record(ClipFolder &folder) {
  const GenerationJob &job = generation_.job();
  auto found = folder.read_record([this](const std::string &what) { warn(what); });
  if (!found || !*found || !job.reuse)
    return job.reuse || !found ? std::move(found) : std::optional<ClipRecord>();
  // Asked for by its ID, another task's clip is no use.
  if (!job.task_id.empty() && (*found)->task_id != job.task_id) return std::optional<ClipRecord>();
  if (auto finished = folder.finish_commit(**found); !finished) return std::move(finished).error();
  return found;
}

Result<bool> ClipWork::serve_stored(ClipFolder &folder, const ClipRecord &record) {
  auto file = folder.open_clip(record, [this](const std::string &what) { warn(what); });
  if (!file) return std::move(file).error();
  if (!*file) return false;
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::completed;
    state.progress = 100;
    state.task_id = record.task_id;
    state.amount = record.amount;
    state.actual_duration = record.actual_duration;
    state.reused = true;
    state.clip_location = folder.path().file(record.clip_name);
  });
  generation_.clip().start(std::move(*file), record.clip_size);
  generation_.clip().advance(record.clip_size);
  generation_.clip().complete();
  return true;
}

Result<std::string> ClipWork::task_to_follow(ClipFolder &folder, const std::optional<ClipRecord> &found) {
  const GenerationJob &job = generation_.job();
  const bool followable = found && !found->task_id.empty() &&
                          (found->state == ClipState::submitted || found->state == ClipState::complete);
  if (followable) record_ = *found;
  if (!followable && job.task_id.empty()) {
    if (found && (found->state == ClipState::intent || found->state == ClipState::ambiguous))
      warn(
          "An earlier run submitted this request and never learnt whether it was accepted. It is submitted "
          "again, so "
          "it may be charged twice. If the service lists a task for it, set task-id to its ID instead.");
    return submit(folder);
  }
  // A lost clip is fetched again from its task.
  record_.state = ClipState::submitted;
  record_.clip_name.clear();
  if (!followable) record_.task_id = job.task_id;
  if (auto saved = save(folder); !saved) return std::move(saved).error();
  if (job.timeout.count() > 0) deadline_ = clock_.now() + job.timeout;
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::queued;
    state.task_id = record_.task_id;
    state.reused = true;
  });
  return record_.task_id;
}

Result<std::string> ClipWork::submit(ClipFolder &folder) {
  const GenerationJob &job = generation_.job();
  if (g_cancellable_is_cancelled(generation_.cancellable())) return cancelled();
  const ExitGuard guard;
  record_.state = ClipState::intent;
  record_.submitted_at = unix_seconds(clock_);
  if (auto saved = save(folder); !saved) return std::move(saved).error();
  if (auto removed = folder.discard_part(); !removed) return std::move(removed).error();
  generation_.change([](GenerationState &state) { state.status = ClipStatus::submitting; });
  if (job.timeout.count() > 0) deadline_ = clock_.now() + job.timeout;

  auto task = tasks_.submit(*job.request, generation_.cancellable(), deadline_);
  if (!task) {
    record_.state = task.error().outcome_unknown ? ClipState::ambiguous : ClipState::refused;
    record_.error = task.error().error.text;
    if (auto saved = save(folder); !saved) return std::move(saved).error();
    return std::move(task.error().error);
  }
  is_new_ = true;
  record_.state = ClipState::submitted;
  record_.task_id = task->id;
  record_.amount = std::max(record_.amount, task->amount);
  if (auto saved = save(folder); !saved) return std::move(saved).error();
  show(*task);
  return task->id;
}

Result<Task> ClipWork::query(const std::string &task_id, std::optional<Clock::Time> deadline) {
  auto task = tasks_.query(task_id, is_new_, generation_.cancellable(), deadline);
  if (!task) return task;
  is_new_ = false;  // It is known now: from here on a 404 means that it is gone.
  show(*task);
  return task;
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
      return task_failed(*task);
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

void ClipWork::show(const Task &task) {
  generation_.change([&](GenerationState &state) {
    state.task_id = record_.task_id;
    if (task.status == TaskStatus::queued) state.status = ClipStatus::queued;
    if (task.status == TaskStatus::processing) state.status = ClipStatus::processing;
    if (state.status == ClipStatus::submitting) state.status = ClipStatus::queued;
    if (task.progress >= 0) state.progress = task.progress;
    if (task.amount >= 0) state.amount = task.amount;
    if (task.actual_duration >= 0) state.actual_duration = task.actual_duration;
    record_.amount = state.amount;
    record_.actual_duration = state.actual_duration;
  });
}

Error ClipWork::task_failed(const Task &task) const {
  Error error{ErrorKind::failed, "The service could not generate the clip."};
  if (!task.error_message.empty()) error.text += " It says: " + task.error_message;
  error.text += " Change the request, or run again to try anew.";
  error.task_id = record_.task_id;
  error.service_message = task.error_message;
  return error;
}

Result<void> ClipWork::fetch(ClipFolder &folder, const std::string &url) {
  const GenerationJob &job = generation_.job();
  generation_.change([](GenerationState &state) {
    state.status = ClipStatus::downloading;
    state.progress = 100;
  });
  auto part = folder.open_part();
  if (!part) return std::move(part).error();
  Download::Hooks hooks;
  hooks.fresh_url = [this]() -> Result<std::string> {
    auto task =
        query(record_.task_id, std::nullopt);  // A clip that is paid for is worth more than the deadline.
    if (!task) return std::move(task).error();
    if (task->status == TaskStatus::failed) return task_failed(*task);
    return task->clip_url;
  };
  hooks.checkpoint = [this, &folder](const PartState &state) {
    record_.part = state;
    return save(folder);
  };
  Download download(*generation_.services().http, clock_, retries_, job.download, std::move(hooks), *part,
                    generation_.clip());
  auto container = download.run(url, record_.part, generation_.cancellable());
  if (!container) {
    Error error = std::move(container).error();
    if (error.task_id.empty()) error.task_id = record_.task_id;
    return error;
  }
  record_.clip_name = ClipPath::clip_name(container->extension);
  record_.media_type = container->media_type;
  record_.clip_size = download.size();
  record_.updated_at = unix_seconds(clock_);
  if (auto committed = folder.commit(**part, record_); !committed) return committed;
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::completed;
    state.clip_location = folder.path().file(record_.clip_name);
  });
  generation_.clip().complete();
  return {};
}

Result<void> ClipWork::save(ClipFolder &folder) {
  record_.updated_at = unix_seconds(clock_);
  return folder.write_record(record_);
}

void ClipWork::warn(std::string text) {
  Error warning{ErrorKind::failed, std::move(text)};
  warning.task_id = record_.task_id;
  generation_.warn(warning);
}

}  // namespace genclip
