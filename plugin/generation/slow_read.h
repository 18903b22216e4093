// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A read that may hang in the disk; its reader may leave at any time.
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

// Thread-safe. A disk thread reads into memory of this object, which outlives a reader that has left.
class SlowRead {
 public:
  static std::shared_ptr<SlowRead> begin(std::shared_ptr<File> file, uint64_t offset, size_t size);

  // Waits for the bytes, like File::read_at().
  Result<size_t> wait(std::span<std::byte> target, const Interrupt::Watch &watch) EXCLUDES(mutex_);
  // Makes the reader look at its watch; call it after raising the interrupt.
  void wake() EXCLUDES(mutex_);

 private:
  explicit SlowRead(size_t size) : bytes_(size) {}
  void finish(Result<size_t> count) EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::optional<Result<size_t>> count_ GUARDED_BY(mutex_);
  std::vector<std::byte> bytes_;  // Owned by the disk thread until count_ is set, then by the reader.
};

}  // namespace genclip
