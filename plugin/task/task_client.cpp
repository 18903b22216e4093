// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A POST is never repeated when its outcome is in doubt; a GET may be.
#include "plugin/task/task_client.h"

#include <algorithm>
#include <utility>

#include "plugin/base/shown_text.h"
#include "plugin/http/display_line.h"
#include "plugin/http/redaction.h"
#include "plugin/task/answer_json.h"
#include "plugin/task/result_search.h"
#include "plugin/task/service_message.h"
#include "plugin/task/task_wire.h"

namespace genclip {
namespace {

// Between two queries of a new task, which the service may know at any moment.
constexpr std::chrono::milliseconds kNewTaskPause{5000};
constexpr auto kShortestTimeout = std::chrono::seconds(1);
constexpr size_t kMaxShownUrl = 300;

bool is_success(unsigned status) { return status >= 200 && status < 300; }

// The service has refused the request, so there is no task: 4xx or 503. Any other answer without a task may
// come from a gateway that has passed the request on; a redirect may lead to the new task.
bool is_refusal(unsigned status) { return (status >= 400 && status < 500) || status == 503; }

bool is_refusal_for_now(const HttpReply &reply) {
  return reply.status == 503 || (reply.status == 429 && !is_quota_used_up(reply));
}

bool says_gone(unsigned status) { return status == 404 || status == 410; }

// Whether the same query may succeed later, by the status of an answer without a task: never, for refusals of
// the key; perhaps, when a gateway or a deployment in between may have refused it; surely, after an outage.
enum class Passing { never, perhaps, surely };
Passing passing(const HttpReply &reply, const Error &error) {
  if (is_about_the_key(error) || is_quota_used_up(reply)) return Passing::never;
  const bool is_no = reply.status >= 300 && reply.status < 500;
  return is_no && !is_transient_status(reply.status) ? Passing::perhaps : Passing::surely;
}

// The outage of one call, from its first try on.
class Outage {
 public:
  explicit Outage(Clock::Time begin) : begin_(begin) {}

  // True at most once: whoever waits for the call is to know of it.
  bool is_news(Clock::Time next_try) {
    return next_try - begin_ > TaskClient::kQuiet && !std::exchange(told_, true);
  }

 private:
  const Clock::Time begin_;
  bool told_ = false;
};

// Adds how long the service asks to wait, and how often this run has tried.
Error with_patience(Error error, std::optional<std::chrono::milliseconds> wished, unsigned tries) {
  if (wished && *wished >= kMaxRetryAfter)
    error.text += " It asks to wait for " +
                  std::to_string(std::chrono::duration_cast<std::chrono::minutes>(*wished).count()) +
                  " minutes or more.";
  if (tries > 1) error.debug += (error.debug.empty() ? "" : "; ") + std::to_string(tries) + " tries";
  return error;
}

// The journal knows a paid clip by its task. Whoever reads the error can fetch this one, if its URL needs no
// signature.
void tell_of_clip(const Task &told, const Secrets &secrets, Error &error) {
  if (told.status != TaskStatus::completed || told.result.urls.empty()) return;
  const ResultUrl &clip = told.result.urls.front();
  error.text += " It names a finished clip in " + clip.field +
                ", which genclip cannot fetch, as it keeps account of clips by the IDs of their tasks.";
  error.debug += (error.debug.empty() ? "" : "; ") + std::string("the clip is at ") +
                 display_line(redact_tokens(clip.url), kMaxShownUrl, secrets);
}

SubmitFailure in_doubt(Error cause, Task told) {
  cause.text +=
      " It is unknown whether the task was created and charged; it was not submitted again. If the service "
      "lists the task, set task-id to its ID. Otherwise run again to submit it again, or set on-unknown to "
      "fail, and runs end instead.";
  return {.error = std::move(cause), .outcome_unknown = true, .told = std::move(told)};
}

// Of a service that could not be asked.
SubmitFailure not_sent(SubmitFailure failure) {
  failure.error.text +=
      " The clip was not submitted. The address of the service comes from base-url or $GENCLIP_BASE_URL.";
  return failure;
}

}  // namespace

HttpRequest TaskClient::request_to(std::string url, HttpRequest::Method method) const {
  HttpRequest request;
  request.method = method;
  request.url = std::move(url);
  request.timeout = endpoint_.http_timeout;
  request.user_agent = endpoint_.user_agent;
  return request;
}

// A wait of our own ends at the deadline at the latest, before a last try. A wait that the service asks for
// is kept in full if it ends before the deadline. Otherwise nothing is submitted; but a task is paid for, and
// the service may be back earlier than it says, so a query is tried meanwhile.
std::optional<std::chrono::milliseconds> TaskClient::pause_before(
    TaskCall call, unsigned attempt, std::optional<std::chrono::milliseconds> wished,
    Deadline deadline) const {
  const auto pause = retries_.delay(attempt, wished);
  if (!deadline) return std::min(pause, kMaxRetryAfter);
  const auto left = time_left(deadline);
  if (left.count() <= 0) return std::nullopt;
  if (!wished || pause <= left) return std::min(pause, left);
  if (call == TaskCall::submit) return std::nullopt;
  return std::min(RetryPolicy::kLongestDelay, left);
}

std::chrono::milliseconds TaskClient::time_left(Deadline deadline) const {
  return std::chrono::ceil<std::chrono::milliseconds>(*deadline - clock_.now());
}

// An exchange of a query does not outlast the deadline by more than kShortestTimeout.
void TaskClient::bound(HttpRequest &get, Deadline deadline) const {
  if (!deadline) return;
  get.whole_timeout = std::max<std::chrono::milliseconds>(time_left(deadline), kShortestTimeout);
  const auto patience = endpoint_.http_timeout;
  get.timeout = patience.count() == 0 ? get.whole_timeout : std::min(get.whole_timeout, patience);
}

std::chrono::milliseconds TaskClient::answer_timeout(Deadline deadline) const {
  const auto patience = kSubmitPatience * endpoint_.http_timeout;
  return deadline ? std::max(endpoint_.http_timeout, std::min(patience, time_left(deadline))) : patience;
}

bool TaskClient::wait(std::chrono::milliseconds pause, GCancellable *cancellable) {
  return clock_.sleep_until(clock_.now() + pause, cancellable);
}

void TaskClient::expect(WantedResult wanted) {
  wanted_ = std::move(wanted);
  for (const std::string &url : wanted_.own_urls) lasting_.add_url(url);
  mask();
}

// The next answer may repeat them, or their signatures alone, whatever the state of the task. A service may
// sign its URLs anew each time, so the oldest ones are forgotten.
void TaskClient::remember_urls(const HttpReply &answer) {
  bool is_news = false;
  for (std::string &url : urls_told(answer.body)) {
    if (std::ranges::find(told_, url) != told_.end()) continue;
    told_.push_front(std::move(url));
    is_news = true;
  }
  if (told_.size() > kMostToldUrls) told_.resize(kMostToldUrls);
  if (is_news) mask();
}

void TaskClient::remember_urls(const Task &task) {
  if (task.result.urls.empty()) return;
  for (const ResultUrl &result : task.result.urls) lasting_.add_url(result.url);
  mask();
}

void TaskClient::mask() {
  secrets_ = lasting_;
  for (const std::string &url : told_) secrets_.add_url(url);
}

Result<Task, SubmitFailure> TaskClient::submit(const CheckedRequest &request, GCancellable *cancellable,
                                               const Deadline &deadline, const SubmitHooks &hooks) {
  HttpRequest post = request_to(submit_url(endpoint_.base_url, endpoint_.api), HttpRequest::Method::post);
  post.body = submit_body(request);
  post.content_type = "application/json";

  Outage outage(clock_.now());
  for (unsigned attempt = 1;;) {
    if (g_cancellable_is_cancelled(cancellable)) return SubmitFailure{cancelled()};
    if (hooks.before_post)
      if (auto ready = hooks.before_post(); !ready) return SubmitFailure{std::move(ready).error()};
    post.bearer_key = key();
    post.answer_timeout = answer_timeout(deadline);
    auto reply = http_.call(post, nullptr);
    std::optional<std::chrono::milliseconds> wished;
    SubmitFailure failure;
    // The part of a broken answer that arrived may hold the ID, too.
    const HttpReply *answer = reply ? &*reply : reply.error().begun ? &*reply.error().begun : nullptr;
    if (answer) remember_urls(*answer);
    TaskQuestion question = {.base_url = endpoint_.base_url, .wanted = wanted_};
    auto task = answer ? read_task(answer->body, secrets_, question) : Error{};
    question.is_part = true;
    if (answer && !task)
      if (auto part = read_task(whole_beginning(answer->body), secrets_, question); part && !part->id.empty())
        task = std::move(part);
    if (answer && !(task && !task->id.empty()))
      if (std::string id = id_in_headers(*answer); !id.empty()) {
        if (!task) task = Task();
        task->id = std::move(id);
      }
    if (task && !task->id.empty()) {
      was_reached_ = true;
      remember_urls(*task);
      said_to_submit_ = is_success(answer->status) ? "" : service_message_in(answer->body, secrets_);
      log_.submitted(*task);
      return std::move(task).value();
    }
    Task told = task ? std::move(*task) : Task();
    if (!reply) {
      HttpError &broken = reply.error();
      if (broken.maybe_sent) return in_doubt(std::move(broken.error), std::move(told));
      failure.error = std::move(broken.error);
      if (!broken.transient) return not_sent(std::move(failure));
    } else if (is_success(reply->status)) {
      Error no_id{ErrorKind::read, "The service answered the submit without a task ID."};
      no_id.debug = task ? "no id in the answer" : task.error().debug;
      no_id.http_status = reply->status;
      no_id.service_message = service_message_in(reply->body, secrets_);
      no_id.text += it_says(no_id.service_message);
      if (const auto json = answer_documents(reply->body); json && !shape_of(json->back(), secrets_).empty())
        no_id.text += " Its answer has the fields " + shape_of(json->back(), secrets_) + ".";
      tell_of_clip(told, secrets_, no_id);
      return in_doubt(std::move(no_id), std::move(told));
    } else {
      failure.error = reply_error(TaskCall::submit, *reply, secrets_);
      if (!is_refusal(reply->status)) return in_doubt(std::move(failure.error), std::move(told));
      if (renew_key(failure.error)) {
        // The journal and the ledger are told as of a wait, because they know no other way to another POST.
        if (hooks.before_wait) hooks.before_wait(failure.error, std::chrono::milliseconds(0));
        if (hooks.after_wait) hooks.after_wait();
        continue;
      }
      if (!is_refusal_for_now(*reply)) return failure;
      wished = retry_after_of(*reply, clock_.wall_now());
    }
    const bool is_last = attempt > retries_.retries() || (wished && *wished >= kMaxRetryAfter);
    const auto pause = is_last ? std::nullopt : pause_before(TaskCall::submit, attempt, wished, deadline);
    if (!pause) {
      failure.error = with_patience(std::move(failure.error), wished, attempt);
      failure.passes_after = wished.value_or(std::chrono::milliseconds(0));
      return reply ? std::move(failure) : not_sent(std::move(failure));
    }
    log_.submit_again(failure.error, *pause);
    if (hooks.before_wait) hooks.before_wait(failure.error, *pause);
    if (tell_outage_ && outage.is_news(clock_.now() + *pause)) tell_outage_(TaskCall::submit, failure.error);
    if (!wait(*pause, cancellable)) return SubmitFailure{cancelled()};
    if (hooks.after_wait) hooks.after_wait();
    ++attempt;
  }
}

// A service may answer with the address of the new task alone.
std::string TaskClient::id_in_headers(const HttpReply &reply) const {
  if (reply.status < 200 || reply.status >= 400) return {};
  for (const char *name : {"Location", "Operation-Location", "Content-Location"}) {
    const auto address = reply.header(name);
    if (!address) continue;
    const std::string id = task_id_at(endpoint_.base_url, endpoint_.api, *address);
    // It keeps the rules of any other ID.
    const auto task = read_task(Json(Json::Object{{"id", id}}).to_text(), secrets_);
    if (task && !task->id.empty()) return task->id;
  }
  return {};
}

Result<Task> TaskClient::query(const std::string &task_id, std::optional<Clock::Time> submitted_at,
                               GCancellable *cancellable, Deadline deadline) {
  HttpRequest get =
      request_to(query_url(endpoint_.base_url, endpoint_.api, task_id), HttpRequest::Method::get);
  Outage outage(clock_.now());
  unsigned refusals = 0;  // In a row, of the same kind.
  unsigned refused_with = 0;
  for (unsigned attempt = 1;; ++attempt) {
    auto task = ask(get, task_id, cancellable, deadline);
    if (task) {
      was_reached_ = true;
      remember_urls(*task);
      log_.polled(task_id, *task, clock_.now());
      return std::move(task).value();
    }
    auto [failure, hope, wished] = std::move(task).error();
    failure.task_id = task_id;
    if (failure.kind == ErrorKind::cancelled) return std::move(failure);

    const bool is_refused = hope == Hope::repeated;
    refusals = !is_refused ? 0 : refused_with == failure.http_status ? refusals + 1 : 1;
    refused_with = is_refused ? failure.http_status : 0;
    const bool gone = is_refused && says_gone(failure.http_status);
    const bool may_be_too_early =
        failure.http_status == 404 && submitted_at && clock_.now() < *submitted_at + kNewTaskPatience;
    if (hope == Hope::none || (refusals >= kRefusalsBelieved && !may_be_too_early)) {
      if (gone && failure.service_message.empty() && !said_to_submit_.empty()) {
        failure.service_message = said_to_submit_;
        failure.text += it_says(said_to_submit_);
      }
      return with_patience(std::move(failure), wished, attempt);
    }

    auto pause = pause_before(TaskCall::query, attempt, wished, deadline);
    if (!pause) {
      if (gone) failure.kind = ErrorKind::timed_out;  // It was not repeated often enough to be believed.
      failure = with_patience(std::move(failure), wished, attempt);
      failure.text += " The task stays at the service: run again to attach to it.";
      return failure;
    }
    if (may_be_too_early && !wished) pause = std::min(*pause, kNewTaskPause);
    log_.poll_again(failure, *pause, clock_.now());
    if (tell_outage_ && hope == Hope::outage && outage.is_news(clock_.now() + *pause))
      tell_outage_(TaskCall::query, failure);
    if (!wait(*pause, cancellable)) return cancelled();
  }
}

bool TaskClient::renew_key(Error &refusal) {
  if (!renew(endpoint_.api_key, refusal)) return false;
  lasting_.set_key(key());
  mask();
  log_.key_renewed(refusal);
  return true;
}

Result<Task, TaskClient::NoAnswer> TaskClient::ask(HttpRequest &get, const std::string &task_id,
                                                   GCancellable *cancellable, Deadline deadline) {
  for (;;) {
    get.bearer_key = key();
    bound(get, deadline);
    auto task = ask_once(get, task_id, cancellable);
    if (task || !renew_key(task.error().error)) return task;
  }
}

Result<Task, TaskClient::NoAnswer> TaskClient::ask_once(const HttpRequest &get, const std::string &task_id,
                                                        GCancellable *cancellable) {
  auto reply = http_.call(get, cancellable);
  if (reply) {
    remember_urls(*reply);
    return judge(*reply, task_id);
  }
  HttpError &broken = reply.error();
  // An unreachable address is a mistake in the settings, unless it led to the service before.
  const bool is_outage =
      broken.transient || broken.maybe_sent || (was_reached_ && broken.error.kind != ErrorKind::settings);
  return NoAnswer{std::move(broken.error), is_outage ? Hope::outage : Hope::none};
}

Result<Task, TaskClient::NoAnswer> TaskClient::judge(const HttpReply &reply,
                                                     const std::string &task_id) const {
  auto task = read_task(reply.body, secrets_,
                        {.base_url = endpoint_.base_url, .task_id = task_id, .wanted = wanted_});
  const bool is_other = task && !task->id.empty() && task->id != task_id;
  // An error status with the task's ID and state still is the answer about the task.
  if (task && !is_other &&
      (is_success(reply.status) || (!task->id.empty() && task->status != TaskStatus::unknown)))
    return std::move(task).value();
  const bool tells_cost = task && !is_other && (task->amount >= 0 || !task->odd_amount.empty());
  if (tells_cost && tell_cost_) tell_cost_(*task);
  if (!is_success(reply.status)) {
    NoAnswer none{reply_error(TaskCall::query, reply, secrets_)};
    const Passing way = passing(reply, none.error);
    none.hope = way == Passing::never ? Hope::none : way == Passing::perhaps ? Hope::repeated : Hope::outage;
    none.wished = retry_after_of(reply, clock_.wall_now(), kLongestWish);
    return none;
  }
  NoAnswer none{};
  if (is_other) {
    none.hope = Hope::repeated;
    none.error = {
        ErrorKind::read,
        "The service reported on a different task than the requested one. Check task-id and base-url."};
  } else {
    none.error = std::move(task).error();  // An incomplete answer counts as none: ask again.
  }
  none.error.http_status = reply.status;
  none.error.service_message = service_message_in(reply.body, secrets_);
  return none;
}

}  // namespace genclip
