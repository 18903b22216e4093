// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One POST that is never repeated in doubt, and GETs that are.
#include "plugin/task/task_client.h"

#include "plugin/task/reply_error.h"
#include "plugin/task/service_message.h"
#include "plugin/task/task_wire.h"

namespace genclip {
namespace {

constexpr auto kNewTaskPause = std::chrono::seconds(1);

bool is_success(unsigned status) { return status >= 200 && status < 300; }

std::optional<std::chrono::milliseconds> retry_after(const HttpReply &reply, const Clock &clock) {
  const auto text = reply.header("Retry-After");
  return text ? parse_retry_after(*text, clock.wall_now()) : std::nullopt;
}

SubmitFailure in_doubt(Error cause) {
  cause.text +=
      " Whether the task was created, and charged, is unknown; it was not submitted again. If the service "
      "lists the"
      " task, set task-id to its ID; else run again to submit anew.";
  return {std::move(cause), true};
}

}  // namespace

HttpRequest TaskClient::request_to(std::string url, HttpRequest::Method method) const {
  HttpRequest request;
  request.method = method;
  request.url = std::move(url);
  request.bearer_key = endpoint_.api_key;
  request.timeout = endpoint_.http_timeout;
  request.user_agent = endpoint_.user_agent;
  return request;
}

bool TaskClient::wait(std::chrono::milliseconds pause, GCancellable *cancellable) {
  return clock_.sleep_until(clock_.now() + pause, cancellable);
}

Result<Task, SubmitFailure> TaskClient::submit(const CheckedRequest &request, GCancellable *cancellable) {
  HttpRequest post = request_to(submit_url(endpoint_.base_url, endpoint_.api), HttpRequest::Method::post);
  post.body = submit_body(request);
  post.content_type = "application/json";
  post.fresh_connection = true;  // A kept-alive one may be stale, which would leave the outcome unknown.

  for (unsigned attempt = 0;; ++attempt) {
    if (g_cancellable_is_cancelled(cancellable)) return SubmitFailure{cancelled()};
    auto reply = http_.call(post, nullptr);
    std::optional<std::chrono::milliseconds> wished;
    SubmitFailure failure;
    if (!reply) {
      HttpError &broken = reply.error();
      if (broken.maybe_sent) return in_doubt(std::move(broken.error));
      failure.error = std::move(broken.error);
      if (!broken.transient) return failure;
    } else if (is_success(reply->status)) {
      auto task = read_task(reply->body);
      if (task && !task->id.empty()) return std::move(task).value();
      return in_doubt({ErrorKind::read, "The service answered the submit without a task ID.",
                       task ? "no id in the answer" : task.error().debug, "", reply->status,
                       service_message_in(reply->body)});
    } else {
      failure.error = reply_error(TaskCall::submit, *reply);
      if (reply->status >= 500 && reply->status != 503) return in_doubt(std::move(failure.error));
      if (reply->status != 429 && reply->status != 503) return failure;
      wished = retry_after(*reply, clock_);
    }
    const auto pause = retries_.delay_before(attempt + 1, wished);
    if (!pause) return failure;
    if (!wait(*pause, cancellable)) return SubmitFailure{cancelled()};
  }
}

Result<Task> TaskClient::query(const std::string &task_id, bool is_new, GCancellable *cancellable) {
  const HttpRequest get =
      request_to(query_url(endpoint_.base_url, endpoint_.api, task_id), HttpRequest::Method::get);
  for (unsigned attempt = 0;; ++attempt) {
    auto reply = http_.call(get, cancellable);
    std::optional<std::chrono::milliseconds> wished;
    Error failure;
    if (!reply) {
      failure = std::move(reply.error().error);
      if (failure.kind == ErrorKind::cancelled || !reply.error().transient) return failure;
    } else if (is_success(reply->status)) {
      auto task = read_task(reply->body);
      if (task) return task;
      failure = std::move(task).error();  // Half an answer is as good as none: ask again.
      failure.http_status = reply->status;
      failure.service_message = service_message_in(reply->body);
    } else {
      failure = reply_error(TaskCall::query, *reply);
      wished = retry_after(*reply, clock_);
      const bool not_yet_known = is_new && reply->status == 404;
      if (!not_yet_known && !is_transient_status(reply->status)) {
        failure.task_id = task_id;
        return failure;
      }
      if (not_yet_known && !wished) wished = kNewTaskPause;
    }
    failure.task_id = task_id;
    const auto pause = retries_.delay_before(attempt + 1, wished);
    if (!pause) return failure;
    if (!wait(*pause, cancellable)) return cancelled();
  }
}

}  // namespace genclip
