// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One writer of a clip at a time, across threads, processes and machines that mount the same store.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "plugin/base/result.h"

namespace genclip {

// Held until destroyed, or until the process dies, however it dies. An open-file-description lock: byte-range
// locks are what shared file systems (NFS) pass on to their server.
class StoreLock {
 public:
  // Nothing when somebody else holds it. Never waits.
  static Result<std::optional<StoreLock>> try_lock(const std::string &path);

  StoreLock(StoreLock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  StoreLock &operator=(StoreLock &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~StoreLock();

 private:
  explicit StoreLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace genclip
