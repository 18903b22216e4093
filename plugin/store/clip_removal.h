// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Takes clips out of the store, never one that is read, nor one that is on its way, and tells which.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/store/store_listing.h"

namespace genclip {

enum class Removable {
  complete,  // Whole clips only: a task that may still bring one stays known.
  any,       // Also the record of a task: its clip can be fetched by its ID alone then.
};

// Removes genclip's files from a clip's folder, and the folder unless somebody else has put something there:
// that is never touched. Whatever a crash leaves bears a name that nobody serves, or a journal whose clip is
// missing. What left the store, as it was then; ErrorKind::busy when any process reads or writes it,
// ErrorKind::settings when it is not removable, ErrorKind::not_found when it is gone.
Result<StoredClip> remove_clip(FileSystem &files, const std::string &root, const std::string &digest,
                               Removable removable = Removable::complete);

struct Pruned {
  std::vector<StoredClip> removed;
  uint64_t size = 0;  // Bytes that the store's clips have left.
};

// Removes the least recently used whole clips that nobody reads until the store's clips have at most
// `max_size` bytes, or no such clip is left; what a crash amid a removal left; and folders that hold no clip.
Result<Pruned> prune_store(FileSystem &files, const std::string &root, uint64_t max_size);

// Which clips left, what they cost, and how to get them again, for who did not name them; empty when none
// did.
std::string removal_text(const Pruned &pruned);

}  // namespace genclip
