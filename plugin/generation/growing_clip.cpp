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
  MutexLock lock(mutex_);
  file_ = std::move(file);
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
      // Withholds the last byte until the clip is stored, because a reader that has all bytes may exit at
      // once.
      const uint64_t shown = complete_ || available_ == 0 ? available_ : std::min(available_, total_ - 1);
      const uint64_t here = offset < shown ? std::min(left, shown - offset) : 0;
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

Result<std::shared_ptr<File>> GrowingClip::file() {
  MutexLock lock(mutex_);
  if (!file_) return Error{ErrorKind::read, "There is no clip yet."};
  return file_;
}

Result<size_t> GrowingClip::read(uint64_t offset, std::span<std::byte> target) {
  const auto from = file();
  return from ? (*from)->read_at(offset, target) : from.error();
}

Result<size_t> GrowingClip::read(uint64_t offset, std::span<std::byte> target,
                                 const Interrupt::Watch &watch) {
  auto from = file();
  if (!from) return std::move(from).error();
  // The usual case: the bytes were just written, or the system has read them ahead.
  if ((*from)->read_at_once(offset, target)) return target.size();
  const auto slow = SlowRead::begin(std::move(*from), offset, target.size());
  {
    MutexLock lock(mutex_);
    slow_reads_.push_back(slow);
  }
  auto count = slow->wait(target, watch);
  MutexLock lock(mutex_);
  std::erase(slow_reads_, slow);
  return count;
}

void GrowingClip::wake() {
  std::vector<std::shared_ptr<SlowRead>> slow_reads;
  {
    MutexLock lock(mutex_);
    changed_.notify_all();
    slow_reads = slow_reads_;
  }
  for (const auto &slow : slow_reads) slow->wake();
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
