// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The job holds the file and the memory, so that no other thread waits to release them.
#include "plugin/generation/slow_read.h"

#include <algorithm>
#include <utility>

#include "plugin/base/disk_thread.h"

namespace genclip {

std::shared_ptr<SlowRead> SlowRead::begin(std::shared_ptr<File> file, uint64_t offset, size_t size) {
  std::shared_ptr<SlowRead> read(new SlowRead(size));
  on_disk_thread(
      [read, file = std::move(file), offset] { read->finish(file->read_at(offset, read->bytes_)); });
  return read;
}

void SlowRead::finish(Result<size_t> count) {
  MutexLock lock(mutex_);
  count_ = std::move(count);
  changed_.notify_all();
}

Result<size_t> SlowRead::wait(std::span<std::byte> target, const Interrupt::Watch &watch) {
  MutexLock lock(mutex_);
  while (!count_) {
    if (watch.interrupted()) return cancelled();
    changed_.wait(lock);
  }
  if (*count_) std::copy_n(bytes_.begin(), **count_, target.begin());
  return *count_;
}

void SlowRead::wake() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

}  // namespace genclip
