// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Calls that wait until a time, or until the disk is no longer slow.
#include "tests/elements/slow_disk.h"

#include <optional>
#include <thread>

#include "plugin/base/mutex.h"
#include "tests/support/disk_calls.h"

namespace genclip::test {
namespace {

// Much longer than any time limit of a test.
constexpr auto kLongestHang = std::chrono::minutes(2);

struct State {
  Mutex mutex;
  CondVar changed;
  std::string folder GUARDED_BY(mutex);
  std::chrono::milliseconds delay GUARDED_BY(mutex){0};
  std::optional<size_t> calls_before_it_hangs GUARDED_BY(mutex);
  std::thread::id owner GUARDED_BY(mutex);
  size_t waiting GUARDED_BY(mutex) = 0;
  size_t calls_of_owner GUARDED_BY(mutex) = 0;
  bool gave_up GUARDED_BY(mutex) = false;
  unsigned life GUARDED_BY(mutex) = 0;
};

State &state() {
  static auto &state = *new State;  // Never destroyed: threads may outlive main().
  return state;
}

void wait_for_disk(const std::string &path) {
  State &all = state();
  MutexLock lock(all.mutex);
  if (all.folder.empty() || !path.starts_with(all.folder)) return;
  if (std::this_thread::get_id() == all.owner) ++all.calls_of_owner;
  const unsigned life = all.life;
  auto end = std::chrono::steady_clock::now() + all.delay;
  bool hangs = false;
  if (all.calls_before_it_hangs) {
    hangs = *all.calls_before_it_hangs == 0;
    if (!hangs) {
      --*all.calls_before_it_hangs;
      return;
    }
    end = std::chrono::steady_clock::now() + kLongestHang;
  }
  ++all.waiting;
  while (all.life == life && all.changed.wait_until(lock, end)) {
  }
  if (all.life != life) return;
  --all.waiting;
  all.gave_up = all.gave_up || hangs;
}

// Making a file is a part of opening it.
int meet(FileCall call, std::string &path, int) {
  if (call != FileCall::make && call != FileCall::replace) wait_for_disk(path);
  return 0;
}

void begin(const std::string &folder, std::chrono::milliseconds delay, std::optional<size_t> calls) {
  State &all = state();
  MutexLock lock(all.mutex);
  all.folder = folder;
  all.delay = delay;
  all.calls_before_it_hangs = calls;
  all.owner = std::this_thread::get_id();
  all.waiting = all.calls_of_owner = 0;
  all.gave_up = false;
  ++all.life;
  set_disk_hook(meet);
}

}  // namespace

SlowDisk::SlowDisk(const std::string &folder, std::chrono::milliseconds delay) {
  begin(folder, delay, std::nullopt);
}

SlowDisk::SlowDisk(const std::string &folder, size_t calls_before_it_hangs) {
  begin(folder, {}, calls_before_it_hangs);
}

SlowDisk::~SlowDisk() {
  State &all = state();
  MutexLock lock(all.mutex);
  set_disk_hook(nullptr);
  all.folder.clear();
  ++all.life;
  all.changed.notify_all();
}

bool SlowDisk::is_waited_for() const {
  MutexLock lock(state().mutex);
  return state().waiting > 0;
}

size_t SlowDisk::calls_of_this_thread() const {
  MutexLock lock(state().mutex);
  return state().calls_of_owner;
}

bool SlowDisk::gave_up() const {
  MutexLock lock(state().mutex);
  return state().gave_up;
}

}  // namespace genclip::test
