// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/line_queue.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "plugin/base/disk_thread.h"

namespace genclip {
namespace {

// Not by stdio, whose lock a write that hangs would hold, also at the end of the process.
void write_line(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      // Another program that has the same terminal does not want to wait for it.
      pollfd ready{file, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

void LineQueue::add(int file, std::string line) {
  {
    MutexLock lock(mutex_);
    if (lines_.size() == kMost) {
      lines_.pop_front();
      ++left_out_;
    }
    lines_.push_back({file, std::move(line)});
    if (std::exchange(is_writing_, true)) return;
  }
  on_disk_thread([self = shared_from_this()] { self->write_all(); });
}

bool LineQueue::wait_until_empty(std::chrono::steady_clock::time_point end) {
  MutexLock lock(mutex_);
  while (is_writing_ && changed_.wait_until(lock, end)) {
  }
  return !is_writing_;
}

void LineQueue::write_all() {
  MutexLock lock(mutex_);
  while (!lines_.empty()) {
    const Line line = std::move(lines_.front());
    lines_.pop_front();
    lock.unlock();
    write_line(line.file, line.text);
    lock.lock();
    // A reader takes lines again.
    if (const uint64_t count = std::exchange(left_out_, 0); count > 0) {
      lock.unlock();
      told_(count);
      lock.lock();
    }
  }
  is_writing_ = false;
  changed_.notify_all();
}

}  // namespace genclip
