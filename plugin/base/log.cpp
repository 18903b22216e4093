// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/log.h"

#include "plugin/base/shown_text.h"

namespace genclip {

GstDebugCategory *new_log_category(const char *name, const char *description) {
  return _gst_debug_category_new(name, 0, description);
}

std::string log_text(const Error &error) {
  std::string details;
  const auto add = [&details](const std::string &detail) {
    details += (details.empty() ? " [" : "; ") + detail;
  };
  if (!error.task_id.empty()) add("task " + error.task_id);
  const std::string status = "HTTP " + std::to_string(error.http_status);
  if (error.http_status != 0 && error.debug.find(status) == error.debug.npos) add(status);
  if (!error.debug.empty()) add(error.debug);
  return shown_line(error.text + details + (details.empty() ? "" : "]"));
}

}  // namespace genclip
