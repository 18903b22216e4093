// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What GStreamer's debug log gets to hear, for tests of what it says and must never say.
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugin/base/mutex.h"

namespace genclip::test {

// Collects all that any category logs, while it lives; one at a time. GStreamer need not be initialised for
// it.
class LogLines {
 public:
  // As in GST_DEBUG, such as "*:2,genclip-http:9".
  explicit LogLines(const char *thresholds) {
    gst_debug_set_threshold_from_string(thresholds, TRUE);
    // In brackets: the macros of these names compare pointers in a way that C++ does not have.
    (gst_debug_remove_log_function)(gst_debug_log_default);
    (gst_debug_add_log_function)(write, this, nullptr);
  }
  ~LogLines() {
    (gst_debug_remove_log_function)(write);
    gst_debug_set_threshold_from_string("*:0", TRUE);
  }
  LogLines(const LogLines &) = delete;
  LogLines &operator=(const LogLines &) = delete;

  // A line each: "LEVEL category: message".
  std::string text() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return text_;
  }

 private:
  static void write(GstDebugCategory *category, GstDebugLevel level, const gchar *, const gchar *, gint,
                    GObject *, GstDebugMessage *message, gpointer self) {
    std::string name = gst_debug_level_get_name(level);
    name.resize(name.find_last_not_of(' ') + 1);
    auto *lines = static_cast<LogLines *>(self);
    MutexLock lock(lines->mutex_);
    lines->text_ +=
        name + " " + gst_debug_category_get_name(category) + ": " + gst_debug_message_get(message) + "\n";
  }

  Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
};

}  // namespace genclip::test
