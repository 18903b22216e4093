// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/exit_guard.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "plugin/base/mutex.h"

namespace genclip {
namespace {

// A service answers a submit within a second or two. A hung one must not keep the user waiting.
constexpr auto kPatience = std::chrono::seconds(3);

struct Outstanding {
  Mutex mutex;
  CondVar changed;
  int count GUARDED_BY(mutex) = 0;
};

Outstanding &outstanding() {
  static auto &all = *new Outstanding;  // Never destroyed: exit handlers and threads outlive main().
  return all;
}

void wait_at_exit() {
  Outstanding &all = outstanding();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  MutexLock lock(all.mutex);
  while (all.count > 0 && all.changed.wait_until(lock, end)) {
  }
}

void register_once() {
  static const pid_t owner = ::getpid();
  static const int registered = std::atexit([] {
    if (::getpid() == owner) wait_at_exit();  // A forked child has the count but not the threads.
  });
  static_cast<void>(registered);
}

}  // namespace

ExitGuard::ExitGuard() {
  register_once();
  MutexLock lock(outstanding().mutex);
  ++outstanding().count;
}

ExitGuard::~ExitGuard() {
  MutexLock lock(outstanding().mutex);
  --outstanding().count;
  outstanding().changed.notify_all();
}

}  // namespace genclip
