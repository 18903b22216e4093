// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One mutex for all blocks; a disk thread fills its block without it.
#include "plugin/generation/clip_reader.h"

#include <algorithm>
#include <utility>

#include "plugin/base/disk_thread.h"

namespace genclip {

Result<size_t> ClipReader::read(GrowingClip &clip, uint64_t offset, std::span<std::byte> target,
                                const Interrupt::Watch &watch) {
  auto from = clip.readable();
  if (!from) return std::move(from).error();
  if (from->is_in_memory) return from->file->read_at(offset, target);
  MutexLock lock(mutex_);
  size_t done = 0;
  while (done < target.size()) {
    const uint64_t at = offset + done;
    auto block = find(at);
    if (!block) {
      // The usual case on a disk: the bytes were just written, or the system has read them ahead.
      if (from->file->read_at_once(at, target.subspan(done))) return target.size();
      block = begin(*from, at);
    }
    const uint64_t next = block->offset + block->size;
    if (at + target.size() - done > block->offset + block->size / 2 && next < from->end && !find(next))
      begin(*from, next);
    while (!block->count) {
      if (watch.interrupted()) return cancelled();
      changed_.wait(lock);
    }
    const Result<size_t> count = *block->count;
    const auto skipped = static_cast<size_t>(at - block->offset);
    if (!count || *count <= skipped) {
      drop(block);
      if (!count) return count.error();
      break;
    }
    const size_t copied = std::min(*count - skipped, target.size() - done);
    std::copy_n(block->bytes.get() + skipped, copied, target.begin() + static_cast<ptrdiff_t>(done));
    done += copied;
  }
  return done;
}

std::shared_ptr<ClipReader::Block> ClipReader::find(uint64_t offset) {
  const auto found = std::ranges::find_if(blocks_, [offset](const auto &block) {
    return offset >= block->offset && offset - block->offset < block->size;
  });
  if (found == blocks_.end()) return nullptr;
  std::rotate(found, found + 1, blocks_.end());
  return blocks_.back();
}

std::shared_ptr<ClipReader::Block> ClipReader::begin(const GrowingClip::Readable &from, uint64_t offset) {
  const auto block = std::make_shared<Block>();
  block->offset = offset;
  block->size = static_cast<size_t>(std::min<uint64_t>(kBlock, from.end - offset));
  if (blocks_.size() == kBlocks) {
    // The disk may still write into the memory of a block without a count.
    if (blocks_.front()->count) block->bytes = std::move(blocks_.front()->bytes);
    blocks_.erase(blocks_.begin());
  }
  if (!block->bytes) block->bytes = std::make_unique_for_overwrite<std::byte[]>(kBlock);
  blocks_.push_back(block);
  on_disk_thread([self = shared_from_this(), block, file = from.file] {
    auto count = file->read_at(block->offset, {block->bytes.get(), block->size});
    MutexLock lock(self->mutex_);
    block->count = std::move(count);
    self->changed_.notify_all();
  });
  return block;
}

void ClipReader::drop(const std::shared_ptr<Block> &block) { std::erase(blocks_, block); }

void ClipReader::wake() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

}  // namespace genclip
