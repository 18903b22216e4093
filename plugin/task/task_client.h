// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Submits and queries tasks over HTTP, with the retries that cannot cost twice.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/http/http_client.h"
#include "plugin/http/retry_policy.h"
#include "plugin/task/task.h"

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

// Blocking; for one worker thread. Borrows `http` and `clock`, which must outlive it.
class TaskClient {
 public:
  TaskClient(HttpClient &http, Clock &clock, TaskEndpoint endpoint, RetryPolicy retries)
      : http_(http), clock_(clock), endpoint_(std::move(endpoint)), retries_(std::move(retries)) {}

  // A task with an ID. Sent again only when it surely was not sent, or was refused with 429 or 503. A request
  // on its way is not cut off by `cancellable` (its answer is worth money), only the waits between the tries
  // are.
  Result<Task, SubmitFailure> submit(const CheckedRequest &request, GCancellable *cancellable);

  // The task's state now. Transient failures are retried; a 404 is retried while `is_new` (just submitted).
  Result<Task> query(const std::string &task_id, bool is_new, GCancellable *cancellable);

 private:
  HttpRequest request_to(std::string url, HttpRequest::Method method) const;
  bool wait(std::chrono::milliseconds pause, GCancellable *cancellable);

  HttpClient &http_;
  Clock &clock_;
  const TaskEndpoint endpoint_;
  const RetryPolicy retries_;
};

}  // namespace genclip
