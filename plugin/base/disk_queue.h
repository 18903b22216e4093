// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Work that waits for a disk, one after the other, so that its caller does not wait.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "plugin/base/mutex.h"

namespace genclip {

// Thread-safe. Work that waits in the queue is done even if the queue is let go.
class DiskQueue : public std::enable_shared_from_this<DiskQueue> {
 public:
  static std::shared_ptr<DiskQueue> make() { return std::make_shared<DiskQueue>(); }

  // Never waits.
  void add(std::function<void()> job) EXCLUDES(mutex_) { add_once({}, std::move(job)); }
  // The same, unless a job of that name, a literal, has not begun yet: then that one does it.
  void add_once(std::string_view name, std::function<void()> job) EXCLUDES(mutex_);
  // Waits until all is done, but no longer than until `end`. False: it is not done.
  bool wait_until_empty(std::chrono::steady_clock::time_point end) EXCLUDES(mutex_);

 private:
  struct Waiting {
    std::string_view name;  // Empty: none.
    std::function<void()> job;
  };

  void drain() EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::deque<Waiting> jobs_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
