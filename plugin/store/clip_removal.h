// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Removes clips from the store, never one that is being read or fetched, and reports which.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/store/store_census.h"
#include "plugin/store/store_listing.h"

namespace genclip {

enum class Removable {
  settled,   // Whole clips whose records name nothing that may bring another one (may_bring_more()).
  complete,  // All whole clips. The record of a task that may still bring the clip stays.
  any,       // Also the record of a task, after which only its ID can fetch its clip.
};

// Of pinned clips (plugin/store/clip_pin.h).
enum class Pinned { stay, go };

// Is called just before a clip is removed, with its locks held: the ledger is to know what its journal alone
// tells. After an error the clip stays.
using BeforeRemoval = std::function<Result<void>(const StoredClip &clip)>;

// Removes genclip's files from a clip's folder, and the folder itself unless it holds foreign files, which
// are never touched. A crash leaves a folder whose name is never served, or a journal without its clip.
// Returns what was removed. ErrorKind::busy when a process reads or writes the clip, ErrorKind::settings when
// it is pinned or not removable, ErrorKind::not_found when it is gone, and the error of `before`.
Result<StoredClip> remove_clip(FileSystem &files, const std::string &root, const std::string &digest,
                               Removable removable = Removable::complete, Pinned pinned = Pinned::stay,
                               const BeforeRemoval &before = nullptr);

struct Pruned {
  std::vector<StoredClip> removed;
  uint64_t answers = 0;  // Kept answers of captions that were removed.
  uint64_t answers_size = 0;
  uint64_t size = 0;  // The size of the store's clips and answers afterwards, in bytes.
};

// Removes the least recently used of the kept answers of captions, and of the whole clips that are neither
// pinned nor being read, until the store's clips and answers have at most `max_size` bytes or no such one is
// left. Also removes what a crash left of an earlier removal, and folders that hold no clip. `new_clip` is
// the digest of the clip that was just stored, if that is why: then it takes a moment, as nothing else is
// likely to have changed (plugin/store/store_census.h). After the first error of `before`, no further clip is
// removed.
Result<Pruned> prune_store(FileSystem &files, const std::string &root, uint64_t max_size,
                           std::string_view new_clip = {}, CensusPace pace = {},
                           const BeforeRemoval &before = nullptr);

// For people: the tasks of a removed clip that may still bring another one, and how to fetch it, a sentence
// or more for each.
std::vector<std::string> open_task_texts(const StoredClip &clip);
// For people: which clips were removed, what they cost, how to get them again, and how many answers were
// removed; empty when nothing was.
std::string removal_text(const Pruned &pruned);

}  // namespace genclip
