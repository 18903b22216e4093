// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Work that waits for a disk, one after the other, so that its caller does not wait.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>

#include "plugin/base/mutex.h"

namespace genclip {

// Thread-safe. Work that waits in the queue is done even if the queue is let go.
class DiskQueue : public std::enable_shared_from_this<DiskQueue> {
 public:
  static std::shared_ptr<DiskQueue> make() { return std::make_shared<DiskQueue>(); }

  // Never waits.
  void add(std::function<void()> job) EXCLUDES(mutex_);
  // Waits until all is done, but no longer than `patience`. False: it is not done.
  bool wait_until_empty(std::chrono::milliseconds patience) EXCLUDES(mutex_);

 private:
  void drain() EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> jobs_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
