// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What in a clip's folder is genclip's, and what somebody else has put there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/store/clip_record.h"

namespace genclip {

struct ClipContent {
  std::vector<std::string> own;  // Names of our files: what a removal takes. Links among them, never folders.
  bool has_foreign = false;      // Anything else. It stays, and is no part of the clip's size.
  // A journal, a clip or a part of one, or what was set aside: more than what a run leaves that ends before
  // its intent.
  bool holds_clip = false;
  uint64_t size = 0;  // Bytes of `own`.
};

// Of any folder with a clip's files. `record` is what its journal says; null when that cannot be read.
Result<ClipContent> content_of(FileSystem &files, const std::string &folder, const ClipRecord *record);

}  // namespace genclip
