// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Takes clips out of the store, never one that is read, nor one that is on its way.
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

// Removes a clip's folder; whatever a crash leaves of it bears a name that nobody serves. ErrorKind::busy
// when any process reads or writes it, ErrorKind::settings when it is not removable, ErrorKind::not_found
// when it is gone.
Result<void> remove_clip(FileSystem &files, const std::string &root, const std::string &digest,
                         Removable removable = Removable::complete);

struct Pruned {
  std::vector<StoredClip> removed;
  uint64_t size = 0;  // Bytes that the store has left.
};

// Removes the least recently used whole clips that nobody reads until the store has at most `max_size` bytes,
// or no such clip is left; and what a crash amid a removal left.
Result<Pruned> prune_store(FileSystem &files, const std::string &root, uint64_t max_size);

}  // namespace genclip
