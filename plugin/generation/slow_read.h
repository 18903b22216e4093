// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One read that a disk may keep waiting, and that its reader may leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/base/interrupt.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

namespace genclip {

// Thread-safe. A disk thread reads into memory of this one, which outlives a reader that has left.
class SlowRead {
 public:
  static std::shared_ptr<SlowRead> begin(std::shared_ptr<File> file, uint64_t offset, size_t size);

  // Waits for the bytes; as File::read_at.
  Result<size_t> wait(std::span<std::byte> target, const Interrupt::Watch &watch) EXCLUDES(mutex_);
  // Makes the reader look at its watch; call it after raising the interrupt.
  void wake() EXCLUDES(mutex_);

 private:
  explicit SlowRead(size_t size) : bytes_(size) {}
  void finish(Result<size_t> count) EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::optional<Result<size_t>> count_ GUARDED_BY(mutex_);
  std::vector<std::byte> bytes_;  // The disk thread's until count_ is there, then the reader's.
};

}  // namespace genclip
