// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Time as genclip sees it; tests put a clock of their own in its place.
#pragma once

#include <gio/gio.h>

#include <chrono>

namespace genclip {

class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using WallTime = std::chrono::system_clock::time_point;

  virtual ~Clock() = default;

  // For intervals and deadlines.
  virtual Time now() const = 0;
  // For what is written down, and for the dates that servers send.
  virtual WallTime wall_now() const = 0;
  // True at that time, false at once when `cancellable` is cancelled.
  virtual bool sleep_until(Time time, GCancellable *cancellable) = 0;

  // The real one. Lives for ever.
  static Clock &system();
};

}  // namespace genclip
