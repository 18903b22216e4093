// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/clip_pin.h"

#include "plugin/store/store_lock.h"

namespace genclip {
namespace {

// Held while a pin is set or taken away: nobody removes the clip meanwhile.
Result<StoreLock> lock_against_removal(const ClipPath &path) {
  auto use = StoreLock::try_lock(path.use(), StoreLock::Kind::shared);
  if (!use) return std::move(use).error();
  if (!*use) return Error{ErrorKind::busy, path.folder() + " is being removed from the store."};
  return std::move(**use);
}

}  // namespace

Result<bool> is_pinned(FileSystem &files, const ClipPath &path) {
  const auto pin = files.info(path.pin());
  if (!pin) return pin.error();
  return pin->has_value();
}

Result<void> pin_clip(FileSystem &files, const ClipPath &path) {
  const auto use = lock_against_removal(path);
  if (!use) return use.error();
  const auto pinned = is_pinned(files, path);
  if (!pinned) return pinned.error();
  if (!*pinned)
    if (auto made = files.open(path.pin(), FileSystem::Mode::read_write); !made) return made.error();
  // Of a pin that was there too: a crash may have come before this.
  return files.sync_folder(path.folder());
}

Result<void> unpin_clip(FileSystem &files, const ClipPath &path) {
  const auto use = lock_against_removal(path);
  if (!use) return use.error();
  if (auto removed = files.remove(path.pin()); !removed) return removed;
  return files.sync_folder(path.folder());
}

}  // namespace genclip
