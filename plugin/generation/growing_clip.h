// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A clip that one thread writes while others read it. A reader waits for the bytes that it needs and for
// nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "plugin/base/file_system.h"
#include "plugin/base/interrupt.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

namespace genclip {

// Thread-safe: one writer, any number of readers.
class GrowingClip {
 public:
  GrowingClip() = default;
  // Closes the file on another thread, because the caller may be an application that stops.
  ~GrowingClip();
  GrowingClip(const GrowingClip &) = delete;
  GrowingClip &operator=(const GrowingClip &) = delete;

  // For the writer. Begins with a file, or begins again after restart(). Bytes become readable once the total
  // is known, so that the size that a reader sees never changes; 0: it is known only at the end. Waits for
  // the disk.
  void start(std::shared_ptr<File> file, uint64_t total) EXCLUDES(mutex_);
  // The first `available` bytes of the file are there.
  void advance(uint64_t available) EXCLUDES(mutex_);
  // All bytes are there and stored. The last byte is withheld until then.
  void complete() EXCLUDES(mutex_);
  // Nothing more will come.
  void fail(Error error) EXCLUDES(mutex_);
  // Drops all bytes, unless a reader has had any; false then.
  bool restart() EXCLUDES(mutex_);

  // For readers.
  struct Ready {
    uint64_t size;       // Of the whole clip.
    uint64_t available;  // How many bytes from the offset are there, at most those asked; 0 at the end.
  };
  // Waits until `count` bytes from `offset` (fewer at the end) are there, or with `any` at least one of them.
  Result<Ready> wait(uint64_t offset, uint64_t count, bool any, const Interrupt::Watch &watch)
      EXCLUDES(mutex_);
  // Reads bytes that wait() has reported. Waits for the disk; ClipReader does not.
  Result<size_t> read(uint64_t offset, std::span<std::byte> target) EXCLUDES(mutex_);
  struct Readable {
    std::shared_ptr<File> file;
    bool is_in_memory;  // Reading it waits for no disk.
    uint64_t end;       // The bytes before it are there.
  };
  Result<Readable> readable() EXCLUDES(mutex_);
  // Makes waiting readers look at their watch; call it after raising the interrupt.
  void wake() EXCLUDES(mutex_);
  // Nothing while it is unknown.
  std::optional<uint64_t> size() EXCLUDES(mutex_);
  // How many bytes are there, for people who wait.
  uint64_t available() EXCLUDES(mutex_);

 private:
  // The end of what readers may have.
  uint64_t shown() const REQUIRES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<File> file_ GUARDED_BY(mutex_);
  bool is_in_memory_ GUARDED_BY(mutex_) = false;
  uint64_t total_ GUARDED_BY(mutex_) = 0;
  uint64_t available_ GUARDED_BY(mutex_) = 0;
  bool size_known_ GUARDED_BY(mutex_) = false;
  bool complete_ GUARDED_BY(mutex_) = false;
  bool was_read_ GUARDED_BY(mutex_) = false;
  std::optional<Error> error_ GUARDED_BY(mutex_);
};

}  // namespace genclip
