// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A clock that jumps instead of sleeping, and remembers every sleep.
#pragma once

#include <chrono>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/mutex.h"

namespace genclip::test {

// Any thread. Both times begin at a fixed point (the wall clock at 2026-01-01 00:00:00 UTC) and move
// together.
class FakeClock final : public Clock {
 public:
  struct Sleep {
    Time begin;
    Time until;
    bool reached;  // Not cancelled.

    std::chrono::milliseconds length() const {
      return std::chrono::duration_cast<std::chrono::milliseconds>(until - begin);
    }
  };

  Time now() const override EXCLUDES(mutex_);
  WallTime wall_now() const override EXCLUDES(mutex_);
  // Moves the time on at once; while held, waits until advance() comes that far.
  bool sleep_until(Time time, GCancellable *cancellable) override EXCLUDES(mutex_);

  void advance(std::chrono::nanoseconds by) EXCLUDES(mutex_);
  void hold(bool on) EXCLUDES(mutex_);
  // Each reading of now() moves the time on by that, as on a machine that is busy.
  void creep(std::chrono::nanoseconds by) EXCLUDES(mutex_);
  // Blocks until that many sleepers wait, while held. False after a real minute.
  bool wait_for_sleepers(unsigned count) EXCLUDES(mutex_);

  // Those that ended, in the order of their ends.
  std::vector<Sleep> sleeps() const EXCLUDES(mutex_);
  // Their lengths, for a comparison at a glance.
  std::vector<std::chrono::milliseconds> pauses() const EXCLUDES(mutex_);
  std::chrono::nanoseconds elapsed() const EXCLUDES(mutex_);

 private:
  static constexpr Time kStart{std::chrono::hours(1000)};
  static constexpr WallTime kWallStart{std::chrono::seconds(1767225600)};

  void move_on(std::chrono::nanoseconds by) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  mutable CondVar changed_;
  mutable std::chrono::nanoseconds elapsed_ GUARDED_BY(mutex_){0};
  std::chrono::nanoseconds creep_ GUARDED_BY(mutex_){0};
  bool held_ GUARDED_BY(mutex_) = false;
  unsigned sleepers_ GUARDED_BY(mutex_) = 0;
  std::vector<Sleep> sleeps_ GUARDED_BY(mutex_);
};

}  // namespace genclip::test
