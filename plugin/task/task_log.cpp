// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_log.h"

#include <gst/gst.h>

#include "plugin/http/display_line.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

constexpr std::chrono::milliseconds kShortestInterval{5000};
constexpr std::chrono::milliseconds kLongestInterval{10000};
constexpr size_t kMaxShownId = 100;

GstDebugCategory *task_category() {
  static GstDebugCategory *category =
      _gst_debug_category_new("genclip-task", 0, "Generation tasks of the genclip elements");
  return category;
}

#define GST_CAT_DEFAULT task_category()

// For logs: an ID may come from a user or from a hostile service.
std::string shown(const std::string &task_id) { return display_line(task_id, kMaxShownId, {}); }

}  // namespace

void TaskLog::submitted(const Task &task) {
  GST_INFO("task %s: submitted, %s", shown(task.id).c_str(), to_word(task.status));
  last_ = task.status;
}

void TaskLog::submit_again(const Error &failure, std::chrono::milliseconds pause) const {
  GST_INFO("submit: not accepted, again in %" G_GINT64_FORMAT " ms: %s", static_cast<gint64>(pause.count()),
           failure.text.c_str());
}

void TaskLog::polled(const std::string &task_id, const Task &task) {
  const std::string id = shown(task_id);
  GST_DEBUG("task %s: %s (\"%s\"), %d %%, %g credits", id.c_str(), to_word(task.status),
            task.status_word.c_str(), task.progress, task.amount);
  if (last_ == task.status) return;
  GST_INFO("task %s: %s -> %s%s%s", id.c_str(), last_ ? to_word(*last_) : "not known before",
           to_word(task.status), task.error_message.empty() ? "" : ": ", task.error_message.c_str());
  last_ = task.status;
}

void TaskLog::poll_again(const Error &failure, std::chrono::milliseconds pause) const {
  GST_DEBUG("task %s: no answer, again in %" G_GINT64_FORMAT " ms: %s", shown(failure.task_id).c_str(),
            static_cast<gint64>(pause.count()), failure.text.c_str());
}

void warn_of_poll_interval(std::chrono::milliseconds interval, const std::string &base_url) {
  if (interval >= kShortestInterval && interval <= kLongestInterval) return;
  const auto url = parse_http_url(base_url);
  if (!url || is_loopback(url->get())) return;
  GST_WARNING("poll-interval is %" G_GINT64_FORMAT " ms; %s asks to be polled every %" G_GINT64_FORMAT
              " to %" G_GINT64_FORMAT " ms.",
              static_cast<gint64>(interval.count()), host_of(url->get()).c_str(),
              static_cast<gint64>(kShortestInterval.count()), static_cast<gint64>(kLongestInterval.count()));
}

}  // namespace genclip
