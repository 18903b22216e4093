// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells genclip's files in a clip's folder from foreign files.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/store/clip_record.h"

namespace genclip {

struct ClipContent {
  std::vector<std::string> own;  // Names of genclip's files, links included, but no folders.
  bool has_foreign = false;      // There is something else. It stays, and does not count for the clip's size.
  // There is a journal, a clip or a part of one, or a file that was set aside. False for the leftovers of a
  // run that ended before its intent.
  bool holds_clip = false;
  uint64_t size = 0;        // Bytes of `own`.
  bool is_growing = false;  // One of them is written, and may grow while the folder's time stays.
  std::chrono::system_clock::time_point changed;  // The latest time of `own`, without `use`.
};

// The content of a folder with a clip's files. `record` is its journal; null when that cannot be read.
Result<ClipContent> content_of(FileSystem &files, const std::string &folder, const ClipRecord *record);

}  // namespace genclip
