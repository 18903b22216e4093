// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of ClipWork that talks to the service: submit, attach, poll.
#include <algorithm>
#include <utility>

#include "plugin/base/shown_text.h"
#include "plugin/catalog/catalog.h"
#include "plugin/generation/chain_work.h"
#include "plugin/generation/clip_work.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/generation_log.h"
#include "plugin/generation/wanted_result.h"
#include "plugin/task/poll_schedule.h"
#include "plugin/task/task_log.h"

namespace genclip {
namespace {

constexpr unsigned kMaxEmptyCompletions = 5;
constexpr auto kLookPatience = std::chrono::seconds(2);
// From when its task was found completed to the first byte of a clip that is to replace a stored one.
constexpr auto kSuccessorPatience = std::chrono::seconds(5);
// What was published stays reachable for at least as long.
constexpr auto kUrlsStayFresh = std::chrono::minutes(1);

bool says_unknown(const Error &error) { return query_outcome(error) == QueryOutcome::gone; }

// When this task was submitted, as far as that record tells and the wall clock has not been set since. Of one
// that was submitted long ago, the service knows by now whether it has it.
std::optional<Clock::Time> submitted_lately(const ClipRecord &record, const std::string &task_id,
                                            const Clock &clock) {
  const auto age = clock.wall_now() - Clock::WallTime(std::chrono::seconds(record.submitted_at));
  if (record.task_id != task_id || age < age.zero() || age >= TaskClient::kNewTaskPatience)
    return std::nullopt;
  return clock.now() - std::chrono::duration_cast<Clock::Time::duration>(age);
}

}  // namespace

std::optional<Clock::Time> ClipWork::deadline_from_now() const {
  const auto timeout = generation_.job().timeout;
  return timeout.count() > 0 ? std::optional(clock_.now() + timeout) : std::nullopt;
}

// A user whose clip is there does not wait long for news of its successor, and gets the clip even if the disk
// is full.
Result<void> ClipWork::look() {
  const auto task = tasks_.query(run_.asked, submitted_lately(*run_.found, run_.asked, clock_),
                                 generation_.cancellable(), clock_.now() + kLookPatience);
  if (g_cancellable_is_cancelled(generation_.cancellable())) return cancelled();
  has_looked_ = true;
  if (!task && says_unknown(task.error()))
    learn_if_possible(TaskUnknown{unknown_task(run_.asked, task.error()).text, task.error().http_status});
  else if (!task)
    learn_if_possible(TaskUnreachable{});
  else
    learn_if_possible(answer_of(*task));
  return {};
}

// A task that was unknown once may be known now, and asking costs nothing.
Result<void> ClipWork::ask() {
  const std::string id = run_.asked;
  auto task = tasks_.query(id, submitted_lately(*run_.found, id, clock_), generation_.cancellable(),
                           deadline_from_now());
  if (!task && !says_unknown(task.error())) {
    learn_if_possible(TaskUnreachable{});
    return std::move(task).error();
  }
  if (task) {
    auto learnt = learn(answer_of(*task));
    return learnt && run_.step == ClipStep::end ? task_failed(id, task->error_message) : std::move(learnt);
  }
  Error unknown = unknown_task(id, std::move(task).error());
  if (auto learnt = learn(TaskUnknown{unknown.text, unknown.http_status}); !learnt) return learnt;
  return run_.step == ClipStep::end ? std::move(unknown) : Result<void>();
}

// The intent is on disk before the POST leaves. A further try of a refused request is reserved anew.
Result<void> ClipWork::intend(std::optional<ExitGuard> &guard) {
  if (!account_.has_reserved()) {
    run_.outcome = Outcome::not_submitted;  // What ends the run here is no refusal of the service any more.
    const Clock::Time begun = clock_.now();
    // The journal tells by now what became of the try before.
    if (auto reserved = reserve(record_); !reserved) return reserved;
    // The submit has the rest of its time when its turn has come.
    if (deadline_) *deadline_ += clock_.now() - begun;
  }
  guard.emplace();
  if (ExitGuard::is_ending()) return cancelled();
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(clock_.wall_now().time_since_epoch()).count();
  if (auto learnt = learn(SubmitBegins{now, account_.reserved_at(), references_}); !learnt) return learnt;
  // The disk may have taken long.
  const bool is_stopped = ExitGuard::is_ending() || g_cancellable_is_cancelled(generation_.cancellable());
  return is_stopped ? cancelled() : Result<void>();
}

Result<void> ClipWork::reserve(const std::optional<ClipRecord> &found) {
  return account_.reserve(found, [this](const std::string &at) { folder_.announce_intent(at); });
}

Result<void> ClipWork::submit() {
  // Before the clips that it is made of are paid.
  if (auto fits = folder_.check_intent(run_.attempt, generation_.job().request->used_reference_bytes());
      !fits)
    return fits;
  ChainWork chain(generation_);  // Holds the links until the request was submitted.
  auto prepared = chain.run();
  if (!prepared) return std::move(prepared).error();
  const Clock::Time prepared_at = clock_.now();
  if (auto handed = follower_.hand_over(record_); !handed) return std::move(handed).error();
  if (g_cancellable_is_cancelled(generation_.cancellable())) return cancelled();
  if (auto reserved = reserve(found_in_journal()); !reserved) return reserved;
  if (clock_.now() - prepared_at >= kUrlsStayFresh) {
    prepared = chain.renew();
    if (!prepared) {
      account_.release("it was not sent");
      return std::move(prepared).error();
    }
  }
  references_ = std::move(prepared->references);
  deadline_ = deadline_from_now();
  std::optional<ExitGuard> guard;
  SubmitHooks hooks;
  hooks.before_post = [&] { return intend(guard); };
  // The journal says that there is no task, should the process end during this wait.
  hooks.before_wait = [&](const Error &refusal, std::chrono::milliseconds pause) {
    learn_if_possible(
        SubmitRefused{refusal.text, refusal.http_status, true, std::chrono::duration<double>(pause).count()});
    guard.reset();
  };
  tasks_.expect(wanted_result(record_, wanted_kind(), prepared->request.body()));
  auto task = tasks_.submit(prepared->request, generation_.cancellable(), deadline_, hooks);
  if (!task) {
    SubmitFailure &failure = task.error();
    if (failure.outcome_unknown)
      learn_if_possible(SubmitUnanswered{failure.error.text, failure.error.http_status,
                                         news_of(failure.told, TaskCall::submit)});
    else if (run_.is_submitting)
      learn_if_possible(SubmitRefused{failure.error.text, failure.error.http_status});
    if (failure.passes_after && generation_.job().submit_once)
      failure.error.details.push_back(
          {"retry-after", std::chrono::duration<double>(*failure.passes_after).count()});
    return std::move(failure.error);
  }
  is_new_ = true;
  unreported_since_ = clock_.now();
  watch_ = TaskWatch::of_submitted(clock_, account_.past_waits());
  outlook_ = watch_->outlook();
  if (auto saved = learn(SubmitAccepted{task->id, news_of(*task, TaskCall::submit)}); !saved) {
    Error error = std::move(saved).error();
    error.text += " The task " + task->id +
                  " was accepted, but its ID is not in the store: set task-id to it when you run again, or "
                  "you will pay for the clip twice.";
    error.task_id = task->id;
    return error;
  }
  if (task->amount == 0) task->amount = -1;  // As in news_of().
  if (task->status == TaskStatus::completed && !task->result.urls.empty()) told_at_submit_ = std::move(*task);
  // Up to here clip.part may have belonged to a task that could still be attached to.
  return folder_.discard_part();
}

Result<void> ClipWork::attach() {
  static_cast<void>(account_.begin());  // It is tried again when there is a line to write.
  deadline_ = deadline_from_now();
  const auto is_there = [&] {
    const auto file = folder_.look_at_clip(*run_.whole);
    return file && *file;
  };
  // Whoever reads the clip that is there has waited for the look already.
  if (is_successor() && is_there())
    deadline_ = std::min(deadline_.value_or(Clock::Time::max()), clock_.now() + kSuccessorPatience);
  // When a task that the user named was submitted is unknown.
  const bool is_own = generation_.job().task_id.empty();
  watch_ = TaskWatch::of_known(clock_, account_.past_waits(), is_own ? record_.submitted_at : 0);
  // The run that has submitted it may have ended before the service reported it.
  if (is_own) unreported_since_ = submitted_lately(record_, record_.task_id, clock_);
  // What the run that has submitted it has published.
  tasks_.expect(wanted_result(record_, wanted_kind()));
  const auto shown = follower_.hand_over(record_);
  if (!shown) return shown.error();
  record_.part.synced = std::max(record_.part.synced, *shown);
  return {};
}

Result<void> ClipWork::follow() {
  if (!is_new_)
    if (auto attached = attach(); !attached) return attached;
  const std::string task_id = record_.task_id;  // The record may become another's.
  auto urls = poll(task_id);
  auto fetched = urls ? fetch(std::move(*urls)) : Result<void>(std::move(urls).error());
  if (!fetched && is_successor()) fetched = serve_instead(std::move(fetched).error());
  run_.step = ClipStep::end;
  return fetched;
}

Result<Task> ClipWork::query(const std::string &task_id, std::optional<Clock::Time> deadline) {
  auto task = tasks_.query(task_id, unreported_since_, generation_.cancellable(), deadline);
  if (!task) {
    if (!says_unknown(task.error())) return task;
    if (told_at_submit_ && run_.step == ClipStep::follow) {
      takes_last_resort_ = true;  // No later answer brings anything better.
      hear(*told_at_submit_);
      return *std::exchange(told_at_submit_, std::nullopt);
    }
    // This is reported once, before anything is paid again.
    Error unknown = unknown_task(task_id, std::move(task).error());
    const bool is_asked_about = run_.step == ClipStep::follow && run_.is_unheard_of;
    const KnownTask known = is_asked_about ? account_.known_task(task_id) : KnownTask();
    learn_if_possible(TaskUnknown{unknown.text, unknown.http_status, known});
    if (!known.completed_for.empty())
      unknown.text += " This store knows that it was completed, for the clip " +
                      known.completed_for.substr(0, 8) + ", and is paid for.";
    return unknown;
  }
  hear(*task);
  return task;
}

void ClipWork::hear(const Task &task) {
  is_new_ = false;
  unreported_since_.reset();  // The service knows it: from here on a 404 means that it is gone.
  if (watch_) {
    watch_->saw(task);
    const bool is_awaited = task.status != TaskStatus::completed && task.status != TaskStatus::failed;
    outlook_ = is_awaited ? watch_->outlook() : Outlook();
  }
  if (run_.step != ClipStep::follow || is_result_in_doubt(task)) return;
  warn_of_other_model(task);
  learn_if_possible(answer_of(task));
}

// Only a completed task tells how many results it has. What is journalled and told of one that does not exist
// would stay there as a paid clip that nobody can fetch.
bool ClipWork::is_result_in_doubt(const Task &task) const {
  if (generation_.job().result <= 1 || !run_.is_unheard_of || task.status == TaskStatus::failed) return false;
  if (task.status != TaskStatus::completed) return true;
  const auto urls = urls_of(task);
  return !urls || urls->empty();
}

// A service may call the request's model by the name of another one, so the task is followed nevertheless.
void ClipWork::warn_of_other_model(const Task &task) {
  const GenerationJob &job = generation_.job();
  const bool is_named = job.request && !job.task_id.empty() && record_.task_id == job.task_id &&
                        task.status != TaskStatus::failed;
  if (!is_named || task.model == job.request->model() || !Catalog::shared()->find(task.model)) return;
  if (std::exchange(warned_of_model_, true)) return;
  warn("The task " + job.task_id + " is of the model " + task.model + ", and the request is for " +
       job.request->model() +
       ". Its clip is stored as that of the request. If task-id is wrong, remove that clip: genclip store "
       "remove " +
       folder_.path().digest().substr(0, 8));
}

// A task that has not ended has cost nothing yet, whatever it will cost: then an amount of 0 tells nothing.
// The status in the answer to a submit may be that of the call.
TaskNews ClipWork::news_of(const Task &task, TaskCall call) {
  constexpr auto status_of = [](TaskStatus status) {
    switch (status) {
      case TaskStatus::queued: return ClipStatus::queued;
      case TaskStatus::processing: return ClipStatus::processing;
      case TaskStatus::completed: return ClipStatus::completed;
      default: return ClipStatus::idle;
    }
  };
  const bool has_ended =
      call == TaskCall::query && (task.status == TaskStatus::completed || task.status == TaskStatus::failed);
  const double amount = task.amount == 0 && !has_ended ? -1 : task.amount;
  return {status_of(task.status), task.progress, amount, task.actual_duration, task.model, task.odd_amount};
}

ClipEvent ClipWork::answer_of(const Task &task) const {
  if (task.status == TaskStatus::failed) return TaskFailed{task.error_message, news_of(task)};
  const bool is_completed = task.status == TaskStatus::completed;
  return TaskKnown{news_of(task), is_completed && !task.result.urls.empty(),
                   watch_ ? watch_->wait() : std::nullopt};
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
  // Of one that was completed, too.
  error.details.push_back({"retry", false});
  return error;
}

std::optional<ResultKind> ClipWork::wanted_kind() const {
  const GenerationJob &job = generation_.job();
  return job.request ? job.request->spec().result : made_by(record_.model);
}

// Those of the result that the run is about: all addresses of the first one, or a further one alone. None
// while a later answer may bring more than the last resort.
Result<std::vector<ResultUrl>> ClipWork::urls_of(const Task &task) const {
  if (task.result.is_last_resort && !takes_last_resort_) return std::vector<ResultUrl>();
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

Result<void> ClipWork::sleep_until_next_poll(const std::string &task_id) {
  const Clock::Time asked_at = clock_.now();
  const double jitter = g_random_double();
  for (std::optional<Clock::Time> next; !next || clock_.now() < *next;) {
    const GRef<GCancellable> wake = generation_.begin_pause();
    next = PollSchedule(generation_.poll_interval(), deadline_).next(asked_at, jitter, watch_->outlook());
    if (!next) {
      Error late{ErrorKind::timed_out,
                 "The task is not done " +
                     (is_successor() ? "yet"
                                     : "after " + std::to_string(generation_.job().timeout.count()) +
                                           " s (property timeout)") +
                     ". It continues at the service: run again to attach to it."};
      late.task_id = task_id;
      return late;
    }
    GST_CAT_DEBUG(generation_category(), "%s: asks again in %" G_GINT64_FORMAT " ms", name(),
                  static_cast<gint64>(
                      std::chrono::duration_cast<std::chrono::milliseconds>(*next - clock_.now()).count()));
    static_cast<void>(clock_.sleep_until(*next, wake.get()));
    if (g_cancellable_is_cancelled(generation_.cancellable())) return cancelled();
  }
  return {};
}

// Waits for the task and returns the URLs of the finished clip.
Result<std::vector<ResultUrl>> ClipWork::poll(const std::string &task_id) {
  warn_of_poll_interval(generation_.job().poll_interval, generation_.job().endpoint.base_url);
  unsigned empty_completions = 0;
  for (bool first = true;; first = false) {
    // An older task may be done by now, so its first query is sent at once.
    if (!first || is_new_)
      if (auto slept = sleep_until_next_poll(task_id); !slept) return std::move(slept).error();
    auto task = query(task_id, deadline_);
    if (!task) return std::move(task).error();
    if (task->status == TaskStatus::failed) return task_failed(task_id, task->error_message);
    if (task->status == TaskStatus::completed) {
      const bool is_last = ++empty_completions >= kMaxEmptyCompletions;
      takes_last_resort_ = takes_last_resort_ || is_last;
      if (auto urls = urls_of(*task); !urls || !urls->empty()) {
        if (!urls && run_.is_unheard_of) run_.outcome = Outcome::not_submitted;
        if (urls && task->result.is_last_resort)
          warn("The service gives no URL for the clip but one in " + urls->front().field +
               ", which may be another file." + it_says(task->error_message));
        return urls;
      }
      if (is_last) {
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
      warn((task->status_word.empty()
                ? "The service's answer about the task tells no status."
                : "The service reports the unknown status \"" + task->status_word + "\".") +
           it_says(task->error_message) + " genclip keeps asking until the timeout.");
    }
  }
}

Error ClipWork::stays_in_doubt() const {
  if (std::ranges::any_of(run_.failed, &FailedTask::was_completed)) return undelivered_tasks(run_.failed);
  return run_.unknown.empty() ? unknown_submit(run_.found ? run_.found->submitted_at : 0)
                              : unknown_tasks(run_.unknown);
}

// The store is named, because a clip that is missed is often in another one.
std::string ClipWork::not_in_store() const {
  return "This clip is not in the store " + folder_.path().root();
}

Error ClipWork::stays_unsubmitted() const {
  return {ErrorKind::not_found, not_in_store() +
                                    ", and this run must not submit its request, because it was not "
                                    "among those to be paid. To submit it, run genclip "
                                    "generate with the same request."};
}

// Who plays stored clips alone has no use for a key, so a missing clip is told first.
Error ClipWork::lacks_key() const {
  const std::string &no_key = generation_.job().no_key;
  Error error{ErrorKind::settings, run_.whole ? no_key : not_in_store() + ". " + no_key};
  if (run_.found) error.task_id = run_.found->task_id;
  return error;
}

Error ClipWork::task_failed(const std::string &task_id, const std::string &message) const {
  Error error{ErrorKind::failed, ""};
  // It was completed before, and its clip is not here yet.
  if (run_.outcome == Outcome::paid_unfetched) {
    error.text = "The task was completed and is paid for, but the service now reports that it failed." +
                 it_says(message) + " Its clip was not downloaded: ask the service for it by its task ID.";
    if (generation_.job().task_id.empty())
      error.text +=
          " Run again: genclip asks for the task once more and, if it still has failed, submits the request "
          "again, which is charged again.";
    error.details.push_back({"retry", false});
  } else {
    error.text = "The service could not generate the clip." + it_says(message) +
                 " Change the request: running it again submits a new task, which may be charged.";
  }
  error.task_id = task_id;
  error.service_message = message;
  return error;
}

}  // namespace genclip
