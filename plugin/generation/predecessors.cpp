// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/predecessors.h"

#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_journal.h"

namespace genclip {

std::vector<UsedReference> replaced_predecessors(FileSystem &files, const std::string &store,
                                                 const ClipRecord &record) {
  std::vector<UsedReference> replaced;
  for (const UsedReference &used : record.references) {
    if (!ClipPath::is_digest(used.clip)) continue;
    const auto now = ClipFolder(files, ClipPath(store, used.clip)).look();
    const auto whole = now ? whole_clip_of(*now) : nullptr;
    if (whole && whole->task_id != used.task_id) replaced.push_back(used);
  }
  return replaced;
}

std::string replaced_text(const UsedReference &used) {
  return "The clip " + used.clip.substr(0, 8) + ", from which " + used.field +
         " was taken, has been generated anew since. The stored clip still goes on from the earlier one; "
         "reuse=false generates it anew.";
}

}  // namespace genclip
