// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The copies in a publish folder: what uses them, and the removal of those that nothing needs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/result.h"
#include "plugin/publish/copy_fate.h"

namespace genclip {

struct PublishedCopy {
  std::string name;
  uint64_t size = 0;
  int64_t modified = 0;  // Unix time in seconds: when it was published last.
  std::vector<CopyUse> uses;
  CopyFate fate = CopyFate::needed;
};

// The names of copies in a record's text, wherever they stand in it.
std::vector<std::string> copy_names_in(std::string_view record);

// The copies in `folder`, the oldest first, and the clips of `store` that use them. Reads each copy that
// would be due, because only its content tells whether this store made it. An error when a record cannot be
// read, because it may name any copy. Blocks.
Result<std::vector<PublishedCopy>> list_copies(FileSystem &files, Clock &clock, const std::string &store,
                                               const std::string &folder);

struct PruneReport {
  std::vector<PublishedCopy> removed;
  std::vector<PublishedCopy> kept;
};

// Removes the copies that are due, and unfinished copies that are older than a day. `dry_run`: removes
// nothing, only reports.
Result<PruneReport> prune_copies(FileSystem &files, Clock &clock, const std::string &store,
                                 const std::string &folder, bool dry_run);

}  // namespace genclip
