// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Time as a number under a lock.
#include "tests/support/fake_clock.h"

#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

// A cancellable has no condition variable: a held sleeper looks at it this often.
constexpr auto kLook = std::chrono::milliseconds(1);

}  // namespace

Clock::Time FakeClock::now() const {
  MutexLock lock(mutex_);
  if (creep_ > std::chrono::nanoseconds(0)) move_on(creep_);
  return kStart + elapsed_;
}

Clock::WallTime FakeClock::wall_now() const {
  MutexLock lock(mutex_);
  // The system's clock counts microseconds in some libraries of C++.
  return kWallStart + std::chrono::duration_cast<Clock::WallTime::duration>(elapsed_);
}

bool FakeClock::sleep_until(Time time, GCancellable *cancellable) {
  MutexLock lock(mutex_);
  const Time begin = kStart + elapsed_;
  ++sleepers_;
  changed_.notify_all();
  while (held_ && kStart + elapsed_ < time && !g_cancellable_is_cancelled(cancellable))
    changed_.wait_until(lock, std::chrono::steady_clock::now() + kLook);
  --sleepers_;
  const bool reached = !g_cancellable_is_cancelled(cancellable);
  if (reached && kStart + elapsed_ < time) move_on(time - (kStart + elapsed_));
  sleeps_.push_back({begin, time, reached});
  return reached;
}

void FakeClock::advance(std::chrono::nanoseconds by) {
  MutexLock lock(mutex_);
  move_on(by);
}

void FakeClock::hold(bool on) {
  MutexLock lock(mutex_);
  held_ = on;
  changed_.notify_all();
}

void FakeClock::creep(std::chrono::nanoseconds by) {
  MutexLock lock(mutex_);
  creep_ = by;
}

bool FakeClock::wait_for_sleepers(unsigned count) {
  const auto limit = std::chrono::steady_clock::now() + kHang;
  MutexLock lock(mutex_);
  while (sleepers_ < count)
    if (!changed_.wait_until(lock, limit) && sleepers_ < count) return false;
  return true;
}

std::vector<FakeClock::Sleep> FakeClock::sleeps() const {
  MutexLock lock(mutex_);
  return sleeps_;
}

std::vector<std::chrono::milliseconds> FakeClock::pauses() const {
  std::vector<std::chrono::milliseconds> result;
  for (const Sleep &sleep : sleeps()) result.push_back(sleep.length());
  return result;
}

std::chrono::nanoseconds FakeClock::elapsed() const {
  MutexLock lock(mutex_);
  return elapsed_;
}

void FakeClock::move_on(std::chrono::nanoseconds by) const {
  elapsed_ += by;
  changed_.notify_all();
}

}  // namespace genclip::test
