// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A folder on a disk that is slow or hangs.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace genclip::test {

// While it lives, each call of the C library for a file below `folder` is counted and delayed. One at a time.
class SlowDisk {
 public:
  // Each call takes that long.
  SlowDisk(const std::string &folder, std::chrono::milliseconds delay);
  // So many calls take no time; then each one hangs as long as this lives.
  SlowDisk(const std::string &folder, size_t calls_before_it_hangs);
  ~SlowDisk();
  SlowDisk(const SlowDisk &) = delete;
  SlowDisk &operator=(const SlowDisk &) = delete;

  // A thread is waiting for the disk now.
  bool is_waited_for() const;
  // Calls of the thread that made this.
  size_t calls_of_this_thread() const;
  // Lets a test that waits for a hanging disk fail instead of hanging too.
  bool gave_up() const;
};

}  // namespace genclip::test
