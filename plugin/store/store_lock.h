// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One writer of a clip at a time, and any number of readers, across threads, processes and machines that
// mount the same store.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "plugin/base/result.h"

namespace genclip {

// Held until destroyed, or until the process ends in whatever way. An open-file-description lock, because
// shared file systems (NFS) pass byte-range locks on to their server. No child inherits it, neither a started
// program nor a mere fork.
class StoreLock {
 public:
  enum class Kind {
    exclusive,  // alone
    shared,     // with others that share
  };

  // Nothing when another holder has it. Never waits. Makes a missing file, but not its folder
  // (ErrorKind::not_found). Only a holder of the exclusive lock may remove such a file; the next try_lock()
  // then locks the file that follows it.
  static Result<std::optional<StoreLock>> try_lock(const std::string &path, Kind kind = Kind::exclusive);

  StoreLock(StoreLock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  StoreLock &operator=(StoreLock &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~StoreLock();

 private:
  explicit StoreLock(int descriptor) : descriptor_(descriptor) {}

  // Lists a descriptor, which was opened after `forks` forks. Nothing: the process has forked since, and the
  // child has a copy that it does not know of.
  static std::optional<StoreLock> keep(int descriptor, unsigned forks);

  // True while the locked file still has that name.
  bool is_of(const std::string &path) const;

  int descriptor_;
};

}  // namespace genclip
