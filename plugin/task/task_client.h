// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Submits and queries tasks over HTTP, with only those retries that cannot cost twice.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/http/api_key.h"
#include "plugin/http/http_client.h"
#include "plugin/http/retry_policy.h"
#include "plugin/http/secrets.h"
#include "plugin/task/reply_error.h"
#include "plugin/task/task.h"
#include "plugin/task/task_log.h"
#include "plugin/task/task_outcome.h"

namespace genclip {

// The address of the service and how to talk to it.
struct TaskEndpoint {
  std::string base_url;
  ApiKey api_key;
  Api api = Api::tasks;
  std::chrono::milliseconds http_timeout{30000};
  std::string user_agent;

  bool operator==(const TaskEndpoint &) const = default;
};

struct SubmitFailure {
  Error error;
  // The service may have accepted the request nevertheless, so it must not be sent again silently.
  bool outcome_unknown = false;
  // What an answer without an ID says nevertheless.
  Task told = {};
  // Refused with 429 or 503, or not sent, which may pass: how long the service asks to wait, 0 if it does not
  // tell.
  std::optional<std::chrono::milliseconds> passes_after = {};

  SubmitOutcome outcome() const {
    if (outcome_unknown) return SubmitOutcome::unknown;
    if (error.kind == ErrorKind::cancelled) return SubmitOutcome::cancelled;
    return is_about_the_key(error) ? SubmitOutcome::key_refused : SubmitOutcome::refused;
  }
};

// What the caller does around each POST of one submit; all are optional.
struct SubmitHooks {
  std::function<Result<void>()> before_post;  // An error: nothing is sent.
  // The request surely was not accepted, and is sent again after a wait, or at once with a renewed key.
  std::function<void(const Error &refusal, std::chrono::milliseconds pause)> before_wait;
  std::function<void()> after_wait;
};

// Blocking; for one worker thread. After a 401, a call reads the file of the key again, and is repeated as
// long as it finds another key there; later calls use that one from the beginning. Borrows `http` and
// `clock`, which must outlive it.
class TaskClient {
 public:
  TaskClient(HttpClient &http, Clock &clock, TaskEndpoint endpoint, RetryPolicy retries)
      : http_(http),
        clock_(clock),
        endpoint_(std::move(endpoint)),
        retries_(std::move(retries)),
        lasting_(endpoint_.api_key.value),
        secrets_(lasting_) {}

  // What the results of its tasks are. Before this is told, anything can be one.
  void expect(WantedResult wanted);

  // Called once for each outage that will have lasted for more than kQuiet by the next try, before the wait
  // for that try: what keeps the call from succeeding. On the caller's thread.
  using TellOutage = std::function<void(TaskCall call, const Error &failure)>;
  void on_outage(TellOutage tell) { tell_outage_ = std::move(tell); }

  // Called with each answer to a query that tells a cost and is no answer about the task's state: an error,
  // for example. It is only about the task that was asked for. On the caller's thread.
  using TellCost = std::function<void(const Task &told)>;
  void on_cost(TellCost tell) { tell_cost_ = std::move(tell); }

  // What no text about the task may show.
  const Secrets &secrets() const { return secrets_; }

  using Deadline = std::optional<Clock::Time>;

  // Returns a task with an ID, which any answer may hold, whatever its HTTP status. Sends again only when the
  // request surely was not sent, was refused with 401 and there is a renewed key, or was refused with 429 or
  // 503 for less than kMaxRetryAfter. `cancellable` and `deadline` end the waits between tries, but no
  // request that is under way, because its answer is worth money. Borrows `deadline`, which `before_post` may
  // move.
  Result<Task, SubmitFailure> submit(const CheckedRequest &request, GCancellable *cancellable,
                                     const Deadline &deadline = std::nullopt, const SubmitHooks &hooks = {});

  // The task's state now, or an error; query_outcome() says what that means for the task. Tries again after
  // failures that may pass (an outage, an unreadable answer) until `deadline` (for ever without one), but not
  // after a refusal of the key. "No such task", like any other refusal, must be repeated to count; of a task
  // that the service has not reported since it was `submitted_at` that time, not before kNewTaskPatience
  // after it. Asks at least once, even after `deadline`.
  Result<Task> query(const std::string &task_id, std::optional<Clock::Time> submitted_at,
                     GCancellable *cancellable, Deadline deadline = std::nullopt);

  // For this long after its submit, the service may not know a new task yet.
  static constexpr std::chrono::seconds kNewTaskPatience{60};
  // Waits this many times longer for the answer to a submit that was sent, because the answer holds the ID of
  // a paid task. Not beyond the deadline, but never less than `http_timeout`.
  static constexpr int kSubmitPatience = 4;
  // Tries that fail for no longer than this are not worth a person's attention. Three tries are over by then,
  // whatever the jitter.
  static constexpr std::chrono::seconds kQuiet{5};
  // The number of refusals in a row after which a refused query is believed.
  static constexpr unsigned kRefusalsBelieved = 4;

 private:
  enum class Hope { none, repeated, outage };
  struct NoAnswer {
    Error error;
    Hope hope = Hope::outage;
    std::optional<std::chrono::milliseconds> wished = {};  // Retry-After.
  };

  HttpRequest request_to(std::string url, HttpRequest::Method method) const;
  // Nothing: give up.
  std::optional<std::chrono::milliseconds> pause_before(TaskCall call, unsigned attempt,
                                                        std::optional<std::chrono::milliseconds> wished,
                                                        Deadline deadline) const;
  std::chrono::milliseconds time_left(Deadline deadline) const;
  void bound(HttpRequest &get, Deadline deadline) const;
  std::chrono::milliseconds answer_timeout(Deadline deadline) const;
  bool wait(std::chrono::milliseconds pause, GCancellable *cancellable);
  const std::string &key() const { return endpoint_.api_key.value; }
  void remember_urls(const HttpReply &answer);
  void remember_urls(const Task &task);
  void mask();
  std::string id_in_headers(const HttpReply &reply) const;
  // True: the error is a refusal of a key that has been renewed, and the call is to be repeated.
  bool renew_key(Error &refusal);
  Result<Task, NoAnswer> ask(HttpRequest &get, const std::string &task_id, GCancellable *cancellable,
                             Deadline deadline);
  Result<Task, NoAnswer> ask_once(const HttpRequest &get, const std::string &task_id,
                                  GCancellable *cancellable);
  Result<Task, NoAnswer> judge(const HttpReply &reply, const std::string &task_id) const;

  HttpClient &http_;
  Clock &clock_;
  TaskEndpoint endpoint_;  // Only the key changes.
  const RetryPolicy retries_;
  Secrets lasting_;               // The keys so far, and the queries of the request's and the results' URLs.
  std::deque<std::string> told_;  // The URLs of the latest answers, the newest first.
  Secrets secrets_;               // All of these.
  WantedResult wanted_;
  TaskLog log_;
  TellOutage tell_outage_;
  TellCost tell_cost_;
  bool was_reached_ = false;    // The service has reported a task, so the address is right.
  std::string said_to_submit_;  // The message beside the last task's ID in an answer that was no success.
};

}  // namespace genclip
