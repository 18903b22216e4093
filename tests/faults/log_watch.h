// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Watches everything that GStreamer logs at GST_DEBUG=9, and remembers what must not be there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/mutex.h"

namespace genclip::test {

// The key of the tests, and what the queries of their signed URLs have.
bool holds_secret(std::string_view text);

// Any thread.
class LogWatch {
 public:
  // Takes the place of the log on stderr from the first call on.
  static LogWatch &get();

  // The lines with a secret, and the bugs that GStreamer or GLib noticed, since the last call.
  std::vector<std::string> take_findings() EXCLUDES(mutex_);
  size_t lines() const EXCLUDES(mutex_);
  void read(const std::string &line, bool is_complaint) EXCLUDES(mutex_);

 private:
  LogWatch();

  mutable Mutex mutex_;
  std::vector<std::string> findings_ GUARDED_BY(mutex_);
  size_t lines_ GUARDED_BY(mutex_) = 0;
};

}  // namespace genclip::test
