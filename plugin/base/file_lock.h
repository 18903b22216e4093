// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One writer at a time, or any number of readers, across threads, processes and machines that mount the same
// folder.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "plugin/base/result.h"

namespace genclip {

// Held until destroyed, or until the process dies, however it dies. An open-file-description lock: byte-range
// locks are what shared file systems (NFS) pass on to their server. Neither a program that is started nor a
// fork that starts none inherits it.
class FileLock {
 public:
  enum class Kind {
    exclusive,  // alone
    shared,     // with others that share
  };

  // Nothing when somebody else holds it. Never waits. Makes the file when it is missing, but for its folder
  // (ErrorKind::not_found). Whoever removes such a file holds its exclusive lock: then all who held it, or
  // waited for it, get a lock of the next one.
  static Result<std::optional<FileLock>> try_lock(const std::string &path, Kind kind = Kind::exclusive);

  FileLock(FileLock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock &operator=(FileLock &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  // Of a descriptor that was opened when the process had forked that often. Nothing: it has forked since, and
  // the child has a copy that it does not know of.
  static std::optional<FileLock> keep(int descriptor, unsigned forks);

  // Whether the locked file still is the one with that name.
  bool is_of(const std::string &path) const;

  int descriptor_;
};

}  // namespace genclip
