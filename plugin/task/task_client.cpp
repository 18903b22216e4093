// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One POST that is never repeated in doubt, and GETs that are.
#include "plugin/task/task_client.h"

#include <algorithm>

#include "plugin/task/reply_error.h"
#include "plugin/task/service_message.h"
#include "plugin/task/task_wire.h"

namespace genclip {
namespace {

constexpr auto kNewTaskPause = std::chrono::seconds(1);
constexpr auto kShortestTimeout = std::chrono::seconds(1);

bool is_success(unsigned status) { return status >= 200 && status < 300; }

// The service has judged the request and taken nothing on: 4xx, 503, or "send it there instead". Any other
// answer without a task may come from a gateway behind which the request went through.
bool is_refusal(unsigned status) {
  return (status >= 400 && status < 500) || status == 503 || status == 301 || status == 307 || status == 308;
}

bool is_refusal_for_now(const HttpReply &reply) {
  return reply.status == 503 || (reply.status == 429 && !is_quota_used_up(reply));
}

std::optional<std::chrono::milliseconds> retry_after(const HttpReply &reply, const Clock &clock) {
  const auto text = reply.header("Retry-After");
  return text ? parse_retry_after(*text, clock.wall_now()) : std::nullopt;
}

// What a person who has to come back wants to know.
Error with_patience(Error error, std::optional<std::chrono::milliseconds> wished, unsigned tries) {
  if (wished && *wished >= kMaxRetryAfter)
    error.text += " It asks to wait for " +
                  std::to_string(std::chrono::duration_cast<std::chrono::minutes>(*wished).count()) +
                  " minutes or more.";
  if (tries > 1) error.debug += (error.debug.empty() ? "" : "; ") + std::to_string(tries) + " tries";
  return error;
}

SubmitFailure in_doubt(Error cause) {
  cause.text +=
      " Whether the task was created, and charged, is unknown; it was not submitted again. If the service "
      "lists the task, set task-id to its ID; else run again to submit anew.";
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

// What the service asks for is kept to or not waited for at all; a wait of our own ends at the deadline, with
// a last try.
std::optional<std::chrono::milliseconds> TaskClient::pause_before(
    unsigned attempt, std::optional<std::chrono::milliseconds> wished, Deadline deadline) const {
  if (wished && *wished >= kMaxRetryAfter) return std::nullopt;
  const auto pause = retries_.delay_before(attempt, wished);
  if (!pause || !deadline) return pause;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - clock_.now());
  if (left.count() <= 0 || (wished && *pause > left)) return std::nullopt;
  return std::min(*pause, left);
}

// An exchange of a query does not outlast the deadline by more than this.
std::chrono::milliseconds TaskClient::timeout_before(Deadline deadline) const {
  if (!deadline) return endpoint_.http_timeout;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - clock_.now());
  const auto limit = std::max<std::chrono::milliseconds>(left, kShortestTimeout);
  return endpoint_.http_timeout.count() == 0 ? limit : std::min(limit, endpoint_.http_timeout);
}

bool TaskClient::wait(std::chrono::milliseconds pause, GCancellable *cancellable) {
  return clock_.sleep_until(clock_.now() + pause, cancellable);
}

Result<Task, SubmitFailure> TaskClient::submit(const CheckedRequest &request, GCancellable *cancellable,
                                               Deadline deadline, const SubmitHooks &hooks) {
  HttpRequest post = request_to(submit_url(endpoint_.base_url, endpoint_.api), HttpRequest::Method::post);
  post.body = submit_body(request);
  post.content_type = "application/json";

  for (unsigned attempt = 1;; ++attempt) {
    if (g_cancellable_is_cancelled(cancellable)) return SubmitFailure{cancelled()};
    if (hooks.before_post)
      if (auto ready = hooks.before_post(); !ready) return SubmitFailure{std::move(ready).error()};
    auto reply = http_.call(post, nullptr);
    std::optional<std::chrono::milliseconds> wished;
    SubmitFailure failure;
    if (!reply) {
      HttpError &broken = reply.error();
      if (broken.maybe_sent) return in_doubt(std::move(broken.error));
      failure.error = std::move(broken.error);
      if (!broken.transient) return failure;
    } else if (is_success(reply->status)) {
      auto task = read_task(reply->body, endpoint_.api_key);
      if (task && !task->id.empty()) {
        log_.submitted(*task);
        return std::move(task).value();
      }
      Error no_id{ErrorKind::read, "The service answered the submit without a task ID."};
      no_id.debug = task ? "no id in the answer" : task.error().debug;
      no_id.http_status = reply->status;
      no_id.service_message = service_message_in(reply->body, endpoint_.api_key);
      no_id.text += it_says(no_id.service_message);
      return in_doubt(std::move(no_id));
    } else {
      failure.error = reply_error(TaskCall::submit, *reply, endpoint_.api_key);
      if (!is_refusal(reply->status)) return in_doubt(std::move(failure.error));
      if (!is_refusal_for_now(*reply)) return failure;
      wished = retry_after(*reply, clock_);
    }
    const auto pause = pause_before(attempt, wished, deadline);
    if (!pause) return SubmitFailure{with_patience(std::move(failure.error), wished, attempt)};
    log_.submit_again(failure.error, *pause);
    if (hooks.before_wait) hooks.before_wait(failure.error);
    if (!wait(*pause, cancellable)) return SubmitFailure{cancelled()};
    if (hooks.after_wait) hooks.after_wait();
  }
}

Result<Task> TaskClient::query(const std::string &task_id, bool is_new, GCancellable *cancellable,
                               Deadline deadline) {
  HttpRequest get =
      request_to(query_url(endpoint_.base_url, endpoint_.api, task_id), HttpRequest::Method::get);
  for (unsigned attempt = 1;; ++attempt) {
    get.timeout = timeout_before(deadline);
    auto reply = http_.call(get, cancellable);
    std::optional<std::chrono::milliseconds> wished;
    bool may_pass = true;
    Error failure;
    if (!reply) {
      failure = std::move(reply.error().error);
      may_pass = reply.error().transient && failure.kind != ErrorKind::cancelled;
    } else if (is_success(reply->status)) {
      auto task = read_task(reply->body, endpoint_.api_key);
      if (task) {
        log_.polled(task_id, *task);
        return task;
      }
      failure = std::move(task).error();  // Half an answer is as good as none: ask again.
      failure.http_status = reply->status;
      failure.service_message = service_message_in(reply->body, endpoint_.api_key);
    } else {
      failure = reply_error(TaskCall::query, *reply, endpoint_.api_key);
      wished = retry_after(*reply, clock_);
      const bool not_yet_known = is_new && reply->status == 404;
      may_pass = not_yet_known || (is_transient_status(reply->status) && !is_quota_used_up(*reply));
      if (not_yet_known && !wished) wished = kNewTaskPause;
    }
    failure.task_id = task_id;
    const auto pause = may_pass ? pause_before(attempt, wished, deadline) : std::nullopt;
    if (!pause) return with_patience(std::move(failure), wished, attempt);
    log_.poll_again(failure, *pause);
    if (!wait(*pause, cancellable)) return cancelled();
  }
}

}  // namespace genclip
