// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Submits and queries tasks over HTTP, with the retries that cannot cost twice.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/http/http_client.h"
#include "plugin/http/retry_policy.h"
#include "plugin/task/task.h"
#include "plugin/task/task_log.h"
#include "plugin/task/task_outcome.h"

namespace genclip {

// Where the service is and how to speak to it.
struct TaskEndpoint {
  std::string base_url;
  std::string api_key;
  Api api = Api::tasks;
  std::chrono::milliseconds http_timeout{30000};
  std::string user_agent;
};

struct SubmitFailure {
  Error error;
  // The service may have accepted the request all the same: it must not be sent again silently.
  bool outcome_unknown = false;

  SubmitOutcome outcome() const {
    if (outcome_unknown) return SubmitOutcome::unknown;
    if (error.kind == ErrorKind::cancelled) return SubmitOutcome::cancelled;
    return is_about_the_key(error) ? SubmitOutcome::key_refused : SubmitOutcome::refused;
  }
};

// What the caller does around each POST of one submit; all are optional.
struct SubmitHooks {
  std::function<Result<void>()> before_post;  // An error: nothing is sent.
  std::function<void(const Error &refusal)>
      before_wait;                   // Surely not accepted; it is sent again after a while,
  std::function<void()> after_wait;  // which is now.
};

// Blocking; for one worker thread. Borrows `http` and `clock`, which must outlive it.
class TaskClient {
 public:
  TaskClient(HttpClient &http, Clock &clock, TaskEndpoint endpoint, RetryPolicy retries)
      : http_(http), clock_(clock), endpoint_(std::move(endpoint)), retries_(std::move(retries)) {}

  using Deadline = std::optional<Clock::Time>;

  // A task with an ID: one in any answer is the task's, whatever the HTTP status. Sent again only when it
  // surely was not sent, or was refused with 429 or 503 for less than kMaxRetryAfter. A request on its way is
  // not cut off by `cancellable` nor by `deadline` (its answer is worth money), only the waits between the
  // tries are.
  Result<Task, SubmitFailure> submit(const CheckedRequest &request, GCancellable *cancellable,
                                     Deadline deadline = std::nullopt, const SubmitHooks &hooks = {});

  // The task's state now, or an error of which query_outcome() tells what it means for the task. What may
  // pass (an outage, an answer that makes no sense) is waited out until `deadline`, without one for ever;
  // what the key is refused for, not at all. "No such task" and any other refusal counts when it is repeated,
  // of a task that `is_new` (submitted by this client, not told of yet) kNewTaskPatience after the submit at
  // the earliest. Asks once at least, also after `deadline`.
  Result<Task> query(const std::string &task_id, bool is_new, GCancellable *cancellable,
                     Deadline deadline = std::nullopt);

  // For so long after its submit a task that the service does not know is one that it does not know yet.
  static constexpr std::chrono::seconds kNewTaskPatience{60};
  // The answer to a submit, once it was sent, is waited for so many times longer than for another: it brings
  // the ID of what is paid. Not beyond the deadline, but never less than `http_timeout`.
  static constexpr int kSubmitPatience = 4;
  // So many times in a row the service must refuse to tell of a task to be believed.
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
  std::optional<std::chrono::milliseconds> pause_before(unsigned attempt,
                                                        std::optional<std::chrono::milliseconds> wished,
                                                        Deadline deadline) const;
  std::chrono::milliseconds time_left(Deadline deadline) const;
  void bound(HttpRequest &get, Deadline deadline) const;
  std::chrono::milliseconds answer_timeout(Deadline deadline) const;
  bool wait(std::chrono::milliseconds pause, GCancellable *cancellable);
  Result<Task, NoAnswer> ask(const HttpRequest &get, const std::string &task_id, GCancellable *cancellable);
  Result<Task, NoAnswer> judge(const HttpReply &reply, const std::string &task_id) const;

  HttpClient &http_;
  Clock &clock_;
  const TaskEndpoint endpoint_;
  const RetryPolicy retries_;
  TaskLog log_;
  bool was_reached_ = false;                 // The service has told of a task, so the address is right.
  std::optional<Clock::Time> submitted_at_;  // The last task.
  std::string said_to_submit_;               // What an answer that was no success said beside that task's ID.
};

}  // namespace genclip
