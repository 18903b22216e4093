// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One mutex, one condition; the file itself is read without the lock.
#include "plugin/generation/growing_clip.h"

#include <algorithm>

#include "plugin/base/disk_thread.h"

namespace genclip {

GrowingClip::~GrowingClip() {
  // No other reference is left.
  if (file_) on_disk_thread([file = std::move(file_)] {});
}

void GrowingClip::start(std::shared_ptr<File> file, uint64_t total) {
  const bool is_in_memory = file->is_in_memory();
  MutexLock lock(mutex_);
  file_ = std::move(file);
  is_in_memory_ = is_in_memory;
  total_ = total;
  size_known_ = total != 0;
}

void GrowingClip::advance(uint64_t available) {
  MutexLock lock(mutex_);
  available_ = available;
  changed_.notify_all();
}

void GrowingClip::complete() {
  MutexLock lock(mutex_);
  total_ = available_;
  size_known_ = complete_ = true;
  changed_.notify_all();
}

void GrowingClip::fail(Error error) {
  MutexLock lock(mutex_);
  error_ = std::move(error);
  changed_.notify_all();
}

bool GrowingClip::restart() {
  MutexLock lock(mutex_);
  if (was_read_) return false;
  file_.reset();
  total_ = available_ = 0;
  size_known_ = false;
  return true;
}

Result<GrowingClip::Ready> GrowingClip::wait(uint64_t offset, uint64_t count, bool any,
                                             const Interrupt::Watch &watch) {
  MutexLock lock(mutex_);
  for (;;) {
    if (watch.interrupted()) return cancelled();
    if (size_known_) {
      const uint64_t left = offset < total_ ? std::min(count, total_ - offset) : 0;
      const uint64_t here = offset < shown() ? std::min(left, shown() - offset) : 0;
      if (left == 0 || here == left || (any && here > 0)) {
        was_read_ = true;
        return Ready{total_, here};
      }
    }
    // Serves the bytes that are there even if later ones will never arrive.
    if (error_) return *error_;
    changed_.wait(lock);
  }
}

// Withholds the last byte until the clip is stored, because a reader that has all bytes may exit at once.
uint64_t GrowingClip::shown() const {
  return complete_ || available_ == 0 ? available_ : std::min(available_, total_ - 1);
}

Result<GrowingClip::Readable> GrowingClip::readable() {
  MutexLock lock(mutex_);
  if (!file_) return Error{ErrorKind::read, "There is no clip yet."};
  return Readable{file_, is_in_memory_, shown()};
}

Result<size_t> GrowingClip::read(uint64_t offset, std::span<std::byte> target) {
  const auto from = readable();
  return from ? from->file->read_at(offset, target) : from.error();
}

void GrowingClip::wake() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

uint64_t GrowingClip::available() {
  MutexLock lock(mutex_);
  return available_;
}

std::optional<uint64_t> GrowingClip::size() {
  MutexLock lock(mutex_);
  if (!size_known_) return std::nullopt;
  return total_;
}

}  // namespace genclip
