// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/disk_queue.h"

#include <utility>

#include "plugin/base/disk_thread.h"

namespace genclip {

void DiskQueue::add_once(std::string_view name, std::function<void()> job) {
  {
    MutexLock lock(mutex_);
    if (!name.empty())
      for (const Waiting &waiting : jobs_)
        if (waiting.name == name) return;
    jobs_.push_back({name, std::exchange(job, nullptr)});  // See on_disk_thread().
    if (std::exchange(draining_, true)) return;
  }
  on_disk_thread([self = shared_from_this()] { self->drain(); });
}

bool DiskQueue::wait_until_empty(std::chrono::steady_clock::time_point end) {
  MutexLock lock(mutex_);
  while (draining_ && changed_.wait_until(lock, end)) {
  }
  return !draining_;
}

void DiskQueue::drain() {
  MutexLock lock(mutex_);
  while (!jobs_.empty()) {
    {
      const auto job = std::move(jobs_.front().job);
      jobs_.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
  }
  draining_ = false;
  changed_.notify_all();
}

}  // namespace genclip
