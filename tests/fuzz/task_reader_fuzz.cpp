// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as the task API's answer: a task with the properties that its header promises, or an error.
#include <glib.h>

#include "plugin/task/service_message.h"
#include "plugin/task/task_wire.h"
#include "tests/fuzz/hold.h"

namespace {

using namespace genclip;

void check_message(const std::string &message) {
  hold(message.find('\n') == std::string::npos);
  hold(g_utf8_validate(message.data(), static_cast<gssize>(message.size()), nullptr));
  // 500 characters, and the ellipsis that says there were more.
  hold(g_utf8_strlen(message.data(), static_cast<gssize>(message.size())) <= 501);
}

}  // namespace

FUZZ_TARGET(task_reader)(const uint8_t *data, size_t size) {
  const std::string_view body = as_text(data, size);
  check_message(service_message_in(body));
  const auto task = read_task(body);
  if (!task) {
    hold(!task.error().text.empty());
    return 0;
  }
  hold(task->progress >= -1 && task->progress <= 100);
  hold(task->amount == -1 || task->amount >= 0);
  hold(task->actual_duration == -1 || task->actual_duration >= 0);
  hold(task->clip_url().empty() || task->status == TaskStatus::completed);
  check_message(task->error_message);
  const std::string url = query_url("http://127.0.0.1/api", Api::tasks, task->id);
  hold(url.starts_with("http://127.0.0.1/api/v2/model-center/tasks/"));
  // An ID from the service never changes the path.
  hold(url.find_first_of("?#", 0) == std::string::npos);
  hold(url.find('/', url.find("/tasks/") + 7) == std::string::npos);
  return 0;
}
