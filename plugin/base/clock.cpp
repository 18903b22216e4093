// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/clock.h"

#include <algorithm>
#include <limits>

namespace genclip {
namespace {

class SystemClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall_now() const override { return std::chrono::system_clock::now(); }

  bool sleep_until(Time time, GCancellable *cancellable) override {
    GPollFD cancelled = {};
    const bool pollable = g_cancellable_make_pollfd(cancellable, &cancelled);
    bool due = false;
    while (!g_cancellable_is_cancelled(cancellable)) {
      const Time begin = now();
      due = time <= begin;
      if (due) break;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - begin).count();
      g_poll(&cancelled, pollable ? 1 : 0,
             static_cast<int>(std::min<int64_t>(left, std::numeric_limits<int>::max())));
    }
    if (pollable) g_cancellable_release_fd(cancellable);
    return due;
  }
};

}  // namespace

Clock &Clock::system() {
  static auto &clock = *new SystemClock;  // Never destroyed: threads may outlive main().
  return clock;
}

}  // namespace genclip
