// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lists, finds and verifies the clips of a store.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/store/clip_record.h"

namespace genclip {

// One folder of the store, as it is at this moment.
struct StoredClip {
  std::string digest;  // The folder's name.
  std::string folder;  // Its path.
  // Nothing when it cannot be read. Then `problem` says why, and `is_damaged` whether the journal itself is
  // at fault and not this version or this user's permissions.
  std::optional<ClipRecord> record;
  std::string problem;
  bool is_damaged = false;
  std::string clip_path;  // Of the whole clip; empty when there is none.
  uint64_t size = 0;      // Bytes of genclip's files in the folder, what was set aside included.
  int64_t last_used = 0;  // Unix time in seconds: read or fetched.
  bool pinned = false;    // Or that is unknown (plugin/store/clip_pin.h).
  // The latest time of genclip's files in the folder, without `use`, if all of it could be read and no file
  // there grows (plugin/store/store_census.h).
  std::optional<std::chrono::system_clock::time_point> settled_at;

  // record->identity.request["prompt"], or empty.
  std::string prompt() const;
  // Whole, by its record, and nothing is to replace it; verify_clip looks at the clip itself.
  bool is_complete() const { return record && record->state == ClipState::complete; }
  // The record of the whole clip: its own, or that of the one that its task is to replace. Null: there is
  // none, or a commit was cut, after which either of the two may lie there.
  const ClipRecord *whole() const;
  // The task of the record, or of the whole clip.
  bool is_of_task(std::string_view id) const;
};

// The names in a store's folder; none if it does not exist. A folder that can be read and not entered is an
// error, because its clips would seem to be gone.
Result<std::vector<std::string>> names_in_store(FileSystem &files, const std::string &root);

// One existing folder. Nothing when it holds no clip: it is empty, or has only locks and foreign files.
std::optional<StoredClip> stored_in(FileSystem &files, const std::string &root, const std::string &digest);

// Takes no lock and changes nothing; a clip that appears or disappears meanwhile may be in the list or not.
// The least recently used first. A store that does not exist is empty.
Result<std::vector<StoredClip>> list_store(FileSystem &files, const std::string &root);

// By digest, by a unique beginning of a digest (8 digits or more), or by task ID. Of several folders with a
// task, that of its request is meant, else that of the task's first result. ErrorKind::not_found when there
// is none, ErrorKind::settings when there are several.
Result<StoredClip> find_stored(FileSystem &files, const std::string &root, std::string_view key);

// Succeeds for an intact whole clip: it is there, has the size that its record says, and is media from its
// first byte to its end. ErrorKind::read when it is damaged, ErrorKind::not_found when there is none.
// Changes nothing. Needs gst_init.
Result<void> verify_clip(FileSystem &files, const StoredClip &clip);

// The same of a clip that was listed some time ago: where it seems damaged, it may have been replaced since,
// so that what is in its folder now is verified, and `clip` becomes that. A folder that is gone leaves it.
Result<void> verify_latest(FileSystem &files, const std::string &root, StoredClip &clip);

}  // namespace genclip
