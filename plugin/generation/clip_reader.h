// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads a growing clip for one user, whose thread never waits for the disk itself: an interrupt ends its wait
// at once.
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
#include "plugin/generation/growing_clip.h"

namespace genclip {

// One thread reads, any thread may wake it. What is in memory is copied at once. Else a disk thread reads a
// block, and the block behind it while the reader is still busy with the first: on a file system that does
// not tell what is in memory (an overlay, a network file system), each read would wait for a thread
// otherwise.
class ClipReader : public std::enable_shared_from_this<ClipReader> {
 public:
  // Bytes of one block. Three blocks are kept: demuxers read the end of a file amid its beginning.
  static constexpr size_t kBlock = 256 * 1024;
  static constexpr size_t kBlocks = 3;

  // Reads bytes that GrowingClip::wait() has reported. Returns fewer only if the file has become shorter.
  Result<size_t> read(GrowingClip &clip, uint64_t offset, std::span<std::byte> target,
                      const Interrupt::Watch &watch) EXCLUDES(mutex_);
  // Makes the reader look at its watch; call it after raising the interrupt.
  void wake() EXCLUDES(mutex_);

 private:
  // The bytes belong to the disk thread until there is a count. The job holds the block, so a reader may
  // leave a disk that hangs.
  struct Block {
    uint64_t offset = 0;
    size_t size = 0;
    std::unique_ptr<std::byte[]> bytes;
    std::optional<Result<size_t>> count;
  };

  // The block that has the byte or will have it, or null. Then it is the last to be replaced.
  std::shared_ptr<Block> find(uint64_t offset) REQUIRES(mutex_);
  std::shared_ptr<Block> begin(const GrowingClip::Readable &from, uint64_t offset) REQUIRES(mutex_);
  void drop(const std::shared_ptr<Block> &block) REQUIRES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::vector<std::shared_ptr<Block>> blocks_ GUARDED_BY(mutex_);  // The least recently used is first.
};

}  // namespace genclip
