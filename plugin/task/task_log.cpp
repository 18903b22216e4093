// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_log.h"

#include <utility>

#include "plugin/base/log.h"
#include "plugin/http/display_line.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

constexpr std::chrono::milliseconds kShortestInterval{5000};
constexpr std::chrono::milliseconds kLongestInterval{10000};
constexpr size_t kMaxShownId = 100;
// A restart of the service, or of a router on the way to it, is shorter.
constexpr std::chrono::seconds kLongOutage{30};

GstDebugCategory *task_category() {
  static GstDebugCategory *const category = new_log_category("genclip-task", "Generation tasks");
  return category;
}

// For logs: an ID may come from a user or from a hostile service.
std::string shown(const std::string &task_id) { return display_line(task_id, kMaxShownId, {}); }

gint64 seconds_between(Clock::Time begin, Clock::Time end) {
  return std::chrono::duration_cast<std::chrono::seconds>(end - begin).count();
}

}  // namespace

void TaskLog::submitted(const Task &task) {
  GST_CAT_INFO(task_category(), "task %s: submitted, %s", shown(task.id).c_str(), to_word(task.status));
  last_ = task.status;
}

void TaskLog::submit_again(const Error &failure, std::chrono::milliseconds pause) const {
  GST_CAT_INFO(task_category(), "submit: not accepted, again in %" G_GINT64_FORMAT " ms: %s",
               static_cast<gint64>(pause.count()), log_text(failure).c_str());
}

void TaskLog::key_renewed(const Error &refusal) const {
  GST_CAT_INFO(task_category(), "the file of the API key holds another key by now, which is used: %s",
               log_text(refusal).c_str());
}

void TaskLog::polled(const std::string &task_id, const Task &task, Clock::Time now) {
  const std::string id = shown(task_id);
  if (std::exchange(told_of_outage_, false))
    GST_CAT_INFO(task_category(), "task %s: the service reports it again, after %" G_GINT64_FORMAT " s",
                 id.c_str(), seconds_between(*silent_since_, now));
  silent_since_.reset();
  GST_CAT_DEBUG(task_category(), "task %s: %s (\"%s\"), %d %%, %g credits", id.c_str(), to_word(task.status),
                task.status_word.c_str(), task.progress, task.amount);
  if (last_ == task.status) return;
  GST_CAT_INFO(task_category(), "task %s: %s -> %s%s%s", id.c_str(),
               last_ ? to_word(*last_) : "not known before", to_word(task.status),
               task.error_message.empty() ? "" : ": ", task.error_message.c_str());
  last_ = task.status;
}

void TaskLog::poll_again(const Error &failure, std::chrono::milliseconds pause, Clock::Time now) {
  const std::string id = shown(failure.task_id);
  GST_CAT_DEBUG(task_category(), "task %s: no answer, again in %" G_GINT64_FORMAT " ms: %s", id.c_str(),
                static_cast<gint64>(pause.count()), log_text(failure).c_str());
  if (!silent_since_) silent_since_ = now;
  if (told_of_outage_ || now - *silent_since_ < kLongOutage) return;
  told_of_outage_ = true;
  GST_CAT_WARNING(task_category(),
                  "task %s: the service has not answered about it for %" G_GINT64_FORMAT
                  " s. It is asked again; the task stays at the service. %s",
                  id.c_str(), seconds_between(*silent_since_, now), log_text(failure).c_str());
}

void warn_of_poll_interval(std::chrono::milliseconds interval, const std::string &base_url) {
  if (interval.count() == 0) return;
  if (interval >= kShortestInterval && interval <= kLongestInterval) return;
  const auto url = parse_http_url(base_url);
  if (!url || is_loopback(url->get())) return;
  GST_CAT_WARNING(task_category(),
                  "poll-interval is %" G_GINT64_FORMAT " ms; %s asks to be polled every %" G_GINT64_FORMAT
                  " to %" G_GINT64_FORMAT " ms.",
                  static_cast<gint64>(interval.count()), host_of(url->get()).c_str(),
                  static_cast<gint64>(kShortestInterval.count()),
                  static_cast<gint64>(kLongestInterval.count()));
}

}  // namespace genclip
