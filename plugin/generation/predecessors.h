// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a stored clip still goes on from the clips that are stored.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/store/clip_record.h"

namespace genclip {

// The references of that record, and of the records of those clips, whose clips are of other tasks by now;
// each clip once. A clip that has left the store was not
// replaced. Blocks for the disk.
std::vector<UsedReference> replaced_predecessors(FileSystem &files, const std::string &store,
                                                 const ClipRecord &record);

// A warning for a person.
std::string replaced_text(const UsedReference &used);

}  // namespace genclip
