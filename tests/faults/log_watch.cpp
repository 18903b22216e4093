// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A log function for GStreamer's messages and a handler for GLib's.
#include "tests/faults/log_watch.h"

#include <gst/gst.h>

#include "tests/faults/fault_service.h"

namespace genclip::test {
namespace {

void read_line(GstDebugCategory *category, GstDebugLevel, const gchar *file, const gchar *, gint line,
               GObject *, GstDebugMessage *message, gpointer watch) {
  static_cast<LogWatch *>(watch)->read(std::string(gst_debug_category_get_name(category)) + " " + file + ":" +
                                           std::to_string(line) + " " + gst_debug_message_get(message),
                                       false);
}

void read_glib(const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer watch) {
  const bool is_complaint = (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0;
  if (is_complaint)
    g_printerr("%s: %s\n", domain ? domain : "", text);  // It may be the last thing that is said.
  static_cast<LogWatch *>(watch)->read(std::string(domain ? domain : "") + " " + text, is_complaint);
}

}  // namespace

bool holds_secret(std::string_view text) {
  for (const std::string_view secret :
       {std::string_view(kSecretKey), std::string_view("s3cr3t"), std::string_view("signature=")})
    if (text.find(secret) != text.npos) return true;
  return false;
}

LogWatch::LogWatch() {
  // In parentheses: the macros of these names compare what C++ does not let them.
  (gst_debug_remove_log_function)(gst_debug_log_default);
  (gst_debug_add_log_function)(read_line, this, nullptr);
  gst_debug_set_active(TRUE);
  gst_debug_set_default_threshold(GST_LEVEL_MEMDUMP);
  g_log_set_default_handler(read_glib, this);
}

LogWatch &LogWatch::get() {
  static auto &watch = *new LogWatch;  // Never destroyed: threads may outlive main().
  return watch;
}

void LogWatch::read(const std::string &line, bool is_complaint) {
  const bool is_finding = is_complaint || holds_secret(line);
  MutexLock lock(mutex_);
  ++lines_;
  if (is_finding) findings_.push_back(line);
}

std::vector<std::string> LogWatch::take_findings() {
  MutexLock lock(mutex_);
  return std::exchange(findings_, {});
}

size_t LogWatch::lines() const {
  MutexLock lock(mutex_);
  return lines_;
}

}  // namespace genclip::test
