// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/alarm_teller.h"

#include <gio/gio.h>
#include <sys/wait.h>

#include <deque>
#include <functional>
#include <thread>
#include <utility>

#include "plugin/base/child_process.h"
#include "plugin/base/gref.h"
#include "plugin/base/log.h"
#include "plugin/base/mutex.h"
#include "plugin/base/shown_text.h"
#include "plugin/http/api_key.h"
#include "plugin/http/http_url.h"
#include "plugin/http/retry_policy.h"

namespace genclip {
namespace {

constexpr size_t kMaxWaiting = 256;  // Alarms of a target that hangs; the oldest are forgotten first.
constexpr unsigned kPostRetries = 4;
constexpr std::chrono::milliseconds kPostTimeout{10000};

GstDebugCategory *monitor_category() {
  static GstDebugCategory *const category = new_log_category("genclip-monitor", "Monitoring of a channel");
  return category;
}

// A thread that delivers texts one after the other.
class DeliveryQueue {
 public:
  // Returns why it could not be told; empty: it was, or was cancelled.
  using Deliver = std::function<std::string(const std::string &, GCancellable *)>;

  explicit DeliveryQueue(Deliver deliver) : deliver_(std::move(deliver)), thread_([this] { run(); }) {}
  ~DeliveryQueue() {
    {
      MutexLock lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    g_cancellable_cancel(cancellable_.get());
    thread_.join();
  }
  DeliveryQueue(const DeliveryQueue &) = delete;
  DeliveryQueue &operator=(const DeliveryQueue &) = delete;

  AlarmDeliveries deliveries() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return deliveries_;
  }

  bool wait_empty(Clock::Time end) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while ((is_busy_ || !waiting_.empty()) && Clock::system().now() < end) changed_.wait_until(lock, end);
    return !is_busy_ && waiting_.empty();
  }

  void add(std::string text) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (waiting_.size() == kMaxWaiting) {
      waiting_.pop_front();
      ++deliveries_.failed;
    }
    waiting_.push_back(std::move(text));
    changed_.notify_all();
  }

 private:
  void run() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (;;) {
      while (waiting_.empty() && !ended_) changed_.wait(lock);
      if (ended_) return;
      const std::string text = std::move(waiting_.front());
      waiting_.pop_front();
      is_busy_ = true;
      lock.unlock();
      std::string error = deliver_(text, cancellable_.get());
      if (!error.empty()) GST_CAT_WARNING(monitor_category(), "%s", error.c_str());
      lock.lock();
      deliveries_.failed += !error.empty();
      deliveries_.error = std::move(error);
      is_busy_ = false;
      changed_.notify_all();
    }
  }

  const Deliver deliver_;
  const GRef<GCancellable> cancellable_ = GRef<GCancellable>::adopt(g_cancellable_new());
  mutable Mutex mutex_;
  CondVar changed_;
  AlarmDeliveries deliveries_ GUARDED_BY(mutex_);
  std::deque<std::string> waiting_ GUARDED_BY(mutex_);
  bool is_busy_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // The last member: it uses all others.
};

std::string run_alarm_command(const ChildCall &command, const std::string &text, GCancellable *cancellable) {
  ChildCall call = command;
  call.input = text + "\n";
  const auto end = run_child(call, cancellable);
  const std::string name = shown_line(call.words.front(), 200);
  if (!end)
    return end.error().kind == ErrorKind::cancelled
               ? ""
               : "The alarm command " + name + " could not be started: " + end.error().text;
  if (end->cause == ChildEnd::Cause::exited && WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0)
    return "";
  std::string why = shown_line(end->errors, 200);
  while (why.ends_with(' ')) why.pop_back();
  if (end->cause == ChildEnd::Cause::time_limit) why = "it was stopped at its time limit";
  if (why.empty()) why = "it says nothing of why";
  return "The alarm command " + name + " failed: " + why + (why.ends_with('.') ? "" : ".");
}

class Poster {
 public:
  Poster(std::string url, std::shared_ptr<HttpClient> http, Clock &clock)
      : http_(std::move(http)), clock_(clock) {
    request_.method = HttpRequest::Method::post;
    request_.url = std::move(url);
    request_.content_type = "application/json";
    request_.timeout = kPostTimeout;
    request_.whole_timeout = 3 * kPostTimeout;
  }

  std::string post(const std::string &text, GCancellable *cancellable) {
    request_.body = text;
    for (unsigned tries = 1;; ++tries) {
      const auto reply = http_->call(request_, cancellable);
      if (reply && reply->status >= 200 && reply->status < 300) return "";
      // An alarm that was told twice does no harm.
      const bool again = reply ? is_transient_status(reply->status) : reply.error().transient;
      const auto wait = policy_.delay_before(tries);
      if (!again || !wait) return g_cancellable_is_cancelled(cancellable) ? "" : failure(reply);
      if (!clock_.sleep_until(clock_.now() + *wait, cancellable)) return "";
    }
  }

 private:
  static std::string failure(const Result<HttpReply, HttpError> &reply) {
    return "The alarm URL was not told: " +
           (reply ? "it answered HTTP " + std::to_string(reply->status) + "." : reply.error().error.text);
  }

  HttpRequest request_;
  const std::shared_ptr<HttpClient> http_;
  Clock &clock_;
  const RetryPolicy policy_{kPostRetries};
};

class QueuedTeller final : public AlarmTeller {
 public:
  void add_command(const ChildCall &command) {
    queues_.push_back(
        std::make_unique<DeliveryQueue>([command](const std::string &text, GCancellable *cancellable) {
          return run_alarm_command(command, text, cancellable);
        }));
  }
  void add_url(std::string url, std::shared_ptr<HttpClient> http, Clock &clock) {
    const auto poster = std::make_shared<Poster>(std::move(url), std::move(http), clock);
    queues_.push_back(
        std::make_unique<DeliveryQueue>([poster](const std::string &text, GCancellable *cancellable) {
          return poster->post(text, cancellable);
        }));
  }

  void tell(const std::vector<AlarmEvent> &events, const std::string &channel,
            const std::string &run) override {
    for (const AlarmEvent &event : events) {
      const std::string text = alarm_json(event, channel, run).to_text();
      for (const auto &queue : queues_) queue->add(text);
    }
  }
  bool finish(std::chrono::milliseconds limit) override {
    const Clock::Time end = Clock::system().now() + limit;
    bool all = true;
    for (const auto &queue : queues_) all = queue->wait_empty(end) && all;
    return all;
  }
  AlarmDeliveries deliveries() const override {
    AlarmDeliveries all;
    for (const auto &queue : queues_) {
      AlarmDeliveries one = queue->deliveries();
      all.failed += one.failed;
      if (all.error.empty()) all.error = std::move(one.error);
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<DeliveryQueue>> queues_;  // Complete before the first tell().
};

}  // namespace

Result<void> AlarmTeller::check(const AlarmTargets &targets) {
  if (!targets.command.empty()) {
    const auto words = command_words(targets.command);
    if (!words)
      return Error{ErrorKind::settings, "--alarm-command is not a command line: " + words.error().text};
    if (!GStringPtr(g_find_program_in_path(words->front().c_str())))
      return Error{ErrorKind::settings,
                   "--alarm-command: there is no program " + shown_line(words->front(), 200) + "."};
  }
  if (!targets.url.empty() && !parse_http_url(targets.url))
    return Error{ErrorKind::settings, "--alarm-url is not an http or https URL."};
  return {};
}

// A proxy would ask its own machine for a receiver on this one.
HttpSettings AlarmTeller::http_settings(const AlarmTargets &targets) {
  HttpSettings settings = targets.http;
  if (const auto url = parse_http_url(targets.url); url && is_loopback(url->get())) settings.proxy.clear();
  return settings;
}

Result<std::unique_ptr<AlarmTeller>> AlarmTeller::make(const AlarmTargets &targets,
                                                       std::shared_ptr<HttpClient> http, Clock &clock) {
  if (auto fine = check(targets); !fine) return std::move(fine).error();
  auto teller = std::make_unique<QueuedTeller>();
  if (!targets.command.empty()) {
    ChildCall command;
    command.words = *command_words(targets.command);
    command.environment = environment_without(kApiKeyVariables);
    command.time_limit = targets.command_limit;
    teller->add_command(command);
  }
  if (!targets.url.empty())
    teller->add_url(targets.url, http ? std::move(http) : HttpClient::shared(http_settings(targets)), clock);
  return std::unique_ptr<AlarmTeller>(std::move(teller));
}

}  // namespace genclip
