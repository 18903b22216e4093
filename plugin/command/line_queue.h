// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines for somebody who may not read them: a bounded queue, and a thread that waits in the caller's place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "plugin/base/mutex.h"

namespace genclip {

// Thread-safe. May be let go while a write hangs; what waits then is written if that ends.
class LineQueue : public std::enable_shared_from_this<LineQueue> {
 public:
  // How many lines were left out, once somebody reads again. On the queue's thread, without a lock; may
  // add().
  using Told = std::function<void(uint64_t)>;
  static constexpr size_t kMost = 1000;  // That wait.

  static std::shared_ptr<LineQueue> make(Told told) { return std::make_shared<LineQueue>(std::move(told)); }
  explicit LineQueue(Told told) : told_(std::move(told)) {}

  // Never waits. The oldest line is left out if too many wait. `line`: whole, with its "\n".
  void add(int file, std::string line) EXCLUDES(mutex_);
  // Waits until all is written, but not longer. False: it is not.
  bool wait_until_empty(std::chrono::steady_clock::time_point end) EXCLUDES(mutex_);

 private:
  struct Line {
    int file;
    std::string text;
  };

  void write_all() EXCLUDES(mutex_);

  const Told told_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<Line> lines_ GUARDED_BY(mutex_);
  uint64_t left_out_ GUARDED_BY(mutex_) = 0;  // Not told yet.
  bool is_writing_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
