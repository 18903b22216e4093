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

  // A task with an ID. Sent again only when it surely was not sent, or was refused with 429 or 503 for less
  // than kMaxRetryAfter. A request on its way is not cut off by `cancellable` nor by `deadline` (its answer
  // is worth money), only the waits between the tries are.
  Result<Task, SubmitFailure> submit(const CheckedRequest &request, GCancellable *cancellable,
                                     Deadline deadline = std::nullopt, const SubmitHooks &hooks = {});

  // The task's state now. Transient failures are retried; a 404 is retried while `is_new` (just submitted).
  // Asks once at least, and after `deadline` no more than that.
  Result<Task> query(const std::string &task_id, bool is_new, GCancellable *cancellable,
                     Deadline deadline = std::nullopt);

 private:
  HttpRequest request_to(std::string url, HttpRequest::Method method) const;
  // Nothing: give up.
  std::optional<std::chrono::milliseconds> pause_before(unsigned attempt,
                                                        std::optional<std::chrono::milliseconds> wished,
                                                        Deadline deadline) const;
  std::chrono::milliseconds timeout_before(Deadline deadline) const;
  bool wait(std::chrono::milliseconds pause, GCancellable *cancellable);

  HttpClient &http_;
  Clock &clock_;
  const TaskEndpoint endpoint_;
  const RetryPolicy retries_;
  TaskLog log_;
};

}  // namespace genclip
