// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of ClipWork that talks to the service: submit, attach, poll.
#include <algorithm>

#include "plugin/generation/clip_work.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/generation_log.h"
#include "plugin/generation/preparation.h"
#include "plugin/http/http_url.h"
#include "plugin/task/poll_schedule.h"
#include "plugin/task/service_message.h"
#include "plugin/task/task_log.h"

namespace genclip {
namespace {

constexpr unsigned kMaxEmptyCompletions = 5;
constexpr auto kLookPatience = std::chrono::seconds(2);

std::string unanswered_text(uint64_t submits) {
  const bool one = submits == 1;
  const std::string runs = one ? "An earlier run" : std::to_string(submits) + " earlier runs";
  const std::string charges = one ? "twice" : std::to_string(submits + 1) + " times";
  return runs + " submitted this request and never learned whether it was accepted. It is submitted again, " +
         "so it may be charged " + charges +
         ". If the service lists a task for it, set task-id to its ID instead. With on-unknown=fail, a run "
         "ends here instead.";
}

std::string warning_text(ClipWarning warning, const ClipRun &run) {
  switch (warning) {
    case ClipWarning::unanswered_submits: return unanswered_text(run.attempt.unanswered_submits);
    case ClipWarning::unknown_tasks:
      return unknown_tasks_text(run.unknown) +
             ", so its clip is lost. The request is submitted again, and charged again.";
    case ClipWarning::successor_is_unknown:
      return "The service does not know the task " + run.asked +
             " any more. Its clip was meant to replace the stored one, which is served instead.";
  }
  return "";
}

// Every http(s) URL in a request.
void add_urls(const Json &json, std::vector<std::string> &urls) {
  if (const auto *text = json.string(); text && parse_http_url(*text)) urls.push_back(*text);
  if (const auto *list = json.array())
    for (const Json &item : *list) add_urls(item, urls);
  if (const auto *object = json.object())
    for (const auto &[name, value] : *object) add_urls(value, urls);
}

bool says_unknown(const Error &error) { return query_outcome(error) == QueryOutcome::gone; }

}  // namespace

std::optional<Clock::Time> ClipWork::deadline_from_now() const {
  const auto timeout = generation_.job().timeout;
  return timeout.count() > 0 ? std::optional(clock_.now() + timeout) : std::nullopt;
}

// A user whose clip is there does not wait long for news of its successor, and gets the clip even if the disk
// is full.
Result<void> ClipWork::look() {
  const auto task = tasks_.query(run_.asked, false, generation_.cancellable(), clock_.now() + kLookPatience);
  if (g_cancellable_is_cancelled(generation_.cancellable())) return cancelled();
  is_successor_ = true;
  if (!task && says_unknown(task.error()))
    learn_if_possible(TaskUnknown{unknown_task(run_.asked, task.error()).text, task.error().http_status});
  else if (!task)
    learn_if_possible(TaskUnreachable{});
  else if (task->status == TaskStatus::failed)
    learn_if_possible(TaskFailed{task->error_message}, &*task);
  else
    learn_if_possible(TaskKnown{task->status == TaskStatus::completed && !task->result.urls.empty()});
  for (const ClipWarning warning : std::exchange(warnings_, {})) warn(warning_text(warning, run_));
  return {};
}

// A task that was unknown once may be known now, and asking costs nothing.
Result<void> ClipWork::ask() {
  const std::string id = run_.asked;
  auto task = tasks_.query(id, false, generation_.cancellable(), deadline_from_now());
  if (!task && !says_unknown(task.error())) {
    learn_if_possible(TaskUnreachable{});
    return std::move(task).error();
  }
  if (!task) {
    Error unknown = unknown_task(id, std::move(task).error());
    if (auto learnt = learn(TaskUnknown{unknown.text, unknown.http_status}); !learnt) return learnt;
    return run_.step == ClipStep::end ? std::move(unknown) : Result<void>();
  }
  if (task->status == TaskStatus::failed) return learn(TaskFailed{task->error_message}, &*task);
  return learn(TaskKnown{});
}

// Writes the intent to disk before the POST leaves, and gives the warnings about earlier attempts. A further
// try of a refused request is reserved anew.
Result<void> ClipWork::intend() {
  if (!account_.has_reserved())
    if (auto reserved = account_.reserve(run_.found); !reserved) return reserved;
  for (const ClipWarning warning : std::exchange(warnings_, {})) warn(warning_text(warning, run_));
  record_.submitted_at = record_.updated_at =
      std::chrono::duration_cast<std::chrono::seconds>(clock_.wall_now().time_since_epoch()).count();
  record_.reserved_at = account_.reserved_at();
  run_.attempt.submitted_at = record_.submitted_at;
  run_.attempt.reserved_at = record_.reserved_at;
  record_.references = run_.attempt.references = references_;
  if (auto intended = folder_.write_intent(record_); !intended) return intended;
  generation_.change([](GenerationState &state) { state.status = ClipStatus::submitting; });
  return {};
}

Result<void> ClipWork::submit() {
  auto prepared = prepare_request(generation_);
  paid_links_ = generation_.state().charged;
  if (!prepared) return std::move(prepared).error();
  references_ = std::move(prepared->references);
  if (auto handed = follower_.hand_over(record_); !handed) return std::move(handed).error();
  if (g_cancellable_is_cancelled(generation_.cancellable())) return cancelled();
  if (auto reserved = account_.reserve(run_.found); !reserved) return reserved;
  deadline_ = deadline_from_now();
  const ExitGuard guard;
  SubmitHooks hooks;
  hooks.before_post = [this] { return intend(); };
  // The journal says that there is no task, should the process end during this wait.
  hooks.before_wait = [this](const Error &refusal) {
    learn_if_possible(SubmitRefused{refusal.text, refusal.http_status});
  };
  hooks.after_wait = [this] { learn_if_possible(SubmitRetried{}); };
  tasks_.expect(wanted_result(prepared->request.body()));
  auto task = tasks_.submit(prepared->request, generation_.cancellable(), deadline_, hooks);
  if (!task) {
    SubmitFailure &failure = task.error();
    if (failure.outcome_unknown)
      learn_if_possible(SubmitUnanswered{failure.error.text, failure.error.http_status});
    else if (record_.state == ClipState::intent)
      learn_if_possible(SubmitRefused{failure.error.text, failure.error.http_status});
    if (failure.passes_after && generation_.job().submit_once)
      failure.error.details.push_back(
          {"retry-after", std::chrono::duration<double>(*failure.passes_after).count()});
    return std::move(failure.error);
  }
  is_new_ = true;
  generation_.change([](GenerationState &state) { state.charged = true; });
  record_.amount = std::max(record_.amount, task->amount);
  if (auto saved = learn(SubmitAccepted{task->id}); !saved) {
    Error error = std::move(saved).error();
    error.text += " The task " + task->id +
                  " was accepted, but its ID is not in the store: set task-id to it when you run again, or "
                  "you will pay for the clip twice.";
    error.task_id = task->id;
    return error;
  }
  watch_ = TaskWatch::of_submitted(clock_, account_.past_waits());
  // Up to here clip.part may have belonged to a task that could still be attached to.
  if (auto removed = folder_.discard_part(); !removed) return removed;
  show(*task);
  return {};
}

Result<void> ClipWork::attach() {
  deadline_ = deadline_from_now();
  // When a task that the user named was submitted is unknown.
  const bool is_own = generation_.job().task_id.empty();
  watch_ = TaskWatch::of_known(clock_, account_.past_waits(), is_own ? record_.submitted_at : 0);
  const auto shown = follower_.hand_over(record_);
  if (!shown) return shown.error();
  record_.part.synced = std::max(record_.part.synced, *shown);
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::queued;
    state.task_id = record_.task_id;
    state.reused = true;
    state.charged = true;
  });
  return {};
}

Result<void> ClipWork::follow() {
  if (!is_new_)
    if (auto attached = attach(); !attached) return attached;
  auto urls = poll(record_.task_id);
  if (!urls) return std::move(urls).error();
  auto fetched = fetch_or_serve(std::move(*urls));
  run_.step = ClipStep::end;
  return fetched;
}

Result<Task> ClipWork::query(const std::string &task_id, std::optional<Clock::Time> deadline) {
  auto task = tasks_.query(task_id, is_new_, generation_.cancellable(), deadline);
  if (!task) {
    if (!says_unknown(task.error())) return task;
    // This is reported once, before anything is paid again.
    Error unknown = unknown_task(task_id, std::move(task).error());
    learn_if_possible(TaskUnknown{unknown.text, unknown.http_status});
    return unknown;
  }
  is_new_ = false;  // The service knows it: from here on a 404 means that it is gone.
  if (watch_) {
    watch_->saw(*task);
    if (const auto wait = watch_->wait()) account_.followed(*wait);
  }
  if (run_.step == ClipStep::follow)
    learn_if_possible(TaskKnown{task->status == TaskStatus::completed}, &*task);
  show(*task);
  return task;
}

// Without a warning, people would take a silent service for a long queue.
void ClipWork::warn_of_outage(TaskCall call, const Error &failure) {
  // The error of a status tells what to do when the run has ended, and this one goes on.
  const bool is_status = failure.http_status >= 300;
  const std::string cause = is_status
                                ? "the service answers with HTTP " + std::to_string(failure.http_status) +
                                      "." + it_says(failure.service_message)
                                : failure.text;
  const auto timeout = generation_.job().timeout.count();
  Error warning = failure;
  warning.text = call == TaskCall::submit
                     ? "The request is not submitted yet: " + cause + " genclip tries again."
                     : "There is no news of the task: " + cause +
                           " The task stays at the service, and genclip asks for it again" +
                           (timeout > 0 ? " until the timeout (" + std::to_string(timeout) + " s)." : ".");
  generation_.warn(warning);
}

Error ClipWork::unknown_task(const std::string &task_id, Error error) const {
  error.kind = ErrorKind::not_found;
  error.text = "The service does not know the task " + task_id +
               (generation_.job().task_id.empty() ? " of this request any more." : ".") +
               it_says(error.service_message);
  error.text +=
      generation_.job().task_id.empty()
          ? " Check base-url and the API key. If they are right, run again: genclip asks for the task once "
            "more and, if it is still unknown, submits the request again, which is charged again."
          : " Check task-id, base-url and the API key, or unset task-id.";
  return error;
}

// What the model makes, and the URLs of the request as it was sent and as it was written.
WantedResult ClipWork::wanted_result(const Json &sent) const {
  WantedResult wanted;
  wanted.kind = wanted_kind();
  add_urls(sent, wanted.own_urls);
  add_urls(record_.identity.request, wanted.own_urls);
  return wanted;
}

std::optional<ResultKind> ClipWork::wanted_kind() const {
  const GenerationJob &job = generation_.job();
  return job.request ? job.request->spec().result : made_by(record_.model);
}

// Those of the result that the run is about: all addresses of the first one, or a further one alone.
Result<std::vector<ResultUrl>> ClipWork::urls_of(const Task &task) const {
  const unsigned number = std::max(generation_.job().result, 1u);
  if (number == 1) return task.result.urls;
  unsigned last = 1;
  for (const ResultUrl &url : task.result.urls)
    if (url.is_further && ++last == number) return std::vector{url};
  if (task.result.urls.empty()) return std::vector<ResultUrl>();
  Error none{ErrorKind::not_found, last == 1 ? "The task has only one result."
                                             : "The task has only " + std::to_string(last) + " results."};
  none.task_id = task.id;
  return none;
}

// Waits for the task and returns the URLs of the finished clip.
Result<std::vector<ResultUrl>> ClipWork::poll(const std::string &task_id) {
  warn_of_poll_interval(generation_.job().poll_interval, generation_.job().endpoint.base_url);
  const PollSchedule schedule(generation_.job().poll_interval, deadline_);
  unsigned empty_completions = 0;
  for (bool first = true;; first = false) {
    // An older task may be done by now, so its first query is sent at once.
    if (!first || is_new_) {
      const auto next = schedule.next(clock_.now(), g_random_double(), watch_->outlook());
      if (!next) {
        Error late{ErrorKind::timed_out,
                   "The task is not done after " + std::to_string(generation_.job().timeout.count()) +
                       " s (property timeout). It continues at the service: run again to attach to it."};
        late.task_id = task_id;
        return late;
      }
      GST_CAT_DEBUG(generation_category(), "%s: asks again in %" G_GINT64_FORMAT " ms", name(),
                    static_cast<gint64>(
                        std::chrono::duration_cast<std::chrono::milliseconds>(*next - clock_.now()).count()));
      if (!clock_.sleep_until(*next, generation_.cancellable())) return cancelled();
    }
    auto task = query(task_id, deadline_);
    if (!task) return std::move(task).error();
    if (task->status == TaskStatus::failed) {
      Error failed = task_failed(task->error_message);
      learn_if_possible(TaskFailed{task->error_message}, &*task);
      return failed;
    }
    if (task->status == TaskStatus::completed) {
      if (!task->result.urls.empty()) return urls_of(*task);
      if (++empty_completions >= kMaxEmptyCompletions) {
        Error empty{ErrorKind::not_found,
                    "The task is done, but " + task->result.why_none +
                        " It is paid for: run again later, or ask the service for the clip by its task ID."};
        empty.text += it_says(task->error_message);
        empty.service_message = task->error_message;
        empty.task_id = task_id;
        return empty;
      }
    }
    if (task->status == TaskStatus::unknown && !warned_of_status_) {
      warned_of_status_ = true;
      warn("The service reports the unknown status \"" + task->status_word +
           "\". genclip keeps asking until the timeout.");
    }
  }
}

// Other processes see the progress in the journal; a full disk must not end a generation because of that.
void ClipWork::show(const Task &task) {
  const std::string status = record_.status;
  const int progress = record_.progress;
  generation_.change([&](GenerationState &state) {
    state.task_id = record_.task_id;
    // Only the service knows the model of a task that the user named.
    if (!generation_.job().task_id.empty() && !task.model.empty()) record_.model = state.model = task.model;
    if (task.status == TaskStatus::queued) state.status = ClipStatus::queued;
    if (task.status == TaskStatus::processing) state.status = ClipStatus::processing;
    // A task that is done has been processed, though nobody may have seen it.
    const bool is_before_it = state.status == ClipStatus::submitting || state.status == ClipStatus::queued;
    if (task.status == TaskStatus::completed && is_before_it) state.status = ClipStatus::processing;
    if (state.status == ClipStatus::submitting) state.status = ClipStatus::queued;
    if (task.progress >= 0) state.progress = task.progress;
    if (task.amount >= 0) state.amount = task.amount;
    if (task.actual_duration >= 0) state.actual_duration = task.actual_duration;
    const bool is_awaited =
        watch_ && task.status != TaskStatus::completed && task.status != TaskStatus::failed;
    const Outlook outlook = is_awaited ? watch_->outlook() : Outlook();
    state.eta = outlook.eta.value_or(-1);
    state.overdue = outlook.is_overdue;
    record_.status = to_word(state.status);
    record_.progress = state.progress;
    // The task's cost is that of its first result.
    record_.amount = generation_.job().result > 1 ? 0 : state.amount;
    record_.actual_duration = state.actual_duration;
  });
  if (record_.status != status || record_.progress != progress) save_if_possible();
}

Error ClipWork::stays_in_doubt() const {
  return run_.unknown.empty() ? unknown_submit(run_.found ? run_.found->submitted_at : 0)
                              : unknown_tasks(run_.unknown);
}

// The store is named, because a clip that is missed is often in another one.
std::string ClipWork::not_in_store() const {
  return "This clip is not in the store " + folder_.path().root();
}

Error ClipWork::stays_unsubmitted() const {
  return {ErrorKind::not_found, not_in_store() + ", and this run must not submit its request."};
}

// Who plays stored clips alone has no use for a key, so a missing clip is told first.
Error ClipWork::lacks_key() const {
  const std::string &no_key = generation_.job().no_key;
  Error error{ErrorKind::settings, run_.whole ? no_key : not_in_store() + ". " + no_key};
  if (run_.found) error.task_id = run_.found->task_id;
  return error;
}

// A task that was completed, and whose clip is not here yet.
Error ClipWork::failed_after_all(const std::string &message) const {
  Error error = task_failed(message);
  error.text = "The task was completed and is paid for, but the service now reports that it failed." +
               it_says(message) + " Its clip was not downloaded: ask the service for it by its task ID.";
  error.details.push_back({"retry", false});
  return error;
}

Error ClipWork::task_failed(const std::string &message) const {
  Error error{ErrorKind::failed, "The service could not generate the clip."};
  error.text += it_says(message);
  error.text += " Change the request: running it again submits a new task, which may be charged.";
  error.task_id = record_.task_id;
  error.service_message = message;
  return error;
}

}  // namespace genclip
