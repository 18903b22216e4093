// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clock that genclip uses; tests replace it with their own.
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
  // For times that are stored, and to compare with the dates that servers send.
  virtual WallTime wall_now() const = 0;
  // Returns true when that time comes, and false as soon as `cancellable` is cancelled.
  virtual bool sleep_until(Time time, GCancellable *cancellable) = 0;

  // The system's clocks. Never destroyed.
  static Clock &system();
};

}  // namespace genclip
