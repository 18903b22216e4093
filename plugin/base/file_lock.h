// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One writer at a time, or any number of readers, across threads, processes and machines that mount the same
// folder.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "plugin/base/result.h"

namespace genclip {

// Held until destroyed, or until the process dies in any way. An open-file-description lock, because shared
// file systems (NFS) pass byte-range locks on to their server. Neither a program that is started nor a fork
// that starts none inherits it.
class FileLock {
 public:
  enum class Kind {
    exclusive,  // alone
    shared,     // with others that share
  };

  // Nothing when another holder has it. Never waits. Makes the file when it is missing, with this mode as far
  // as the umask allows, but not its folder (ErrorKind::not_found). Remove such a file only with its
  // exclusive lock held: then nobody keeps a lock of the removed file, because try_lock() checks that the
  // file still has its name.
  static Result<std::optional<FileLock>> try_lock(const std::string &path, Kind kind = Kind::exclusive,
                                                  mode_t mode = 0600);

  FileLock(FileLock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock &operator=(FileLock &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileLock();

  // Whether the locked file was removed, or another one has its name `path`: the lock protects nothing any
  // more. False where that cannot be found out. Blocks for the disk.
  bool is_replaced(const std::string &path) const;
  // A file server drops the locks of a machine that it cannot reach, and does not tell it. This takes an
  // exclusive lock again, if it was dropped. False: another holder has it. True as well where the server
  // still cannot be asked. Blocks for the disk.
  bool renew() const;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  // The lock of `descriptor`, which was opened when the process had forked `forks` times. Nothing when it has
  // forked since, because then the child has a copy that it cannot find in the list.
  static std::optional<FileLock> keep(int descriptor, unsigned forks);

  // Whether the locked file still is the one with that name.
  bool is_of(const std::string &path) const;

  int descriptor_;
};

// How many locks are to be held for anything but work under way. Each takes a file descriptor, and without
// one, the ID of a paid task cannot be written down: a third of what the process may have, 400 at most.
size_t most_locks();

}  // namespace genclip
