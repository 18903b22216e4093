// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The queue is never longer than the number of idle threads. This is not a GThreadPool, because
// ThreadSanitizer does not see the locks of one.
#include "plugin/base/disk_thread.h"

#include <chrono>
#include <deque>
#include <thread>
#include <utility>

#include "plugin/base/mutex.h"

namespace genclip {
namespace {

constexpr auto kLongestIdle = std::chrono::milliseconds(500);

struct DiskThreads {
  Mutex mutex;
  CondVar changed;
  std::deque<std::function<void()>> jobs GUARDED_BY(mutex);
  size_t idle GUARDED_BY(mutex) = 0;
};

DiskThreads &disk_threads() {
  static auto &all = *new DiskThreads;  // Never destroyed: threads may outlive main().
  return all;
}

void do_disk_jobs() {
  DiskThreads &all = disk_threads();
  MutexLock lock(all.mutex);
  for (;;) {
    while (!all.jobs.empty()) {
      auto job = std::move(all.jobs.front());
      all.jobs.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // What it holds is destroyed here, too.
      lock.lock();
    }
    ++all.idle;
    const auto end = std::chrono::steady_clock::now() + kLongestIdle;
    while (all.jobs.empty() && all.changed.wait_until(lock, end)) {
    }
    --all.idle;
    if (all.jobs.empty()) return;
  }
}

}  // namespace

void on_disk_thread(std::function<void()> job) {
  DiskThreads &all = disk_threads();
  MutexLock lock(all.mutex);
  // libc++ moves a small job by copying it: the caller would keep what it holds, perhaps as the last one.
  all.jobs.push_back(std::exchange(job, nullptr));
  const bool is_taken = all.jobs.size() <= all.idle;
  lock.unlock();
  if (is_taken)
    all.changed.notify_one();
  else
    std::thread(do_disk_jobs).detach();
}

}  // namespace genclip
