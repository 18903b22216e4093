// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/predecessors.h"

#include <set>

#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_record.h"

namespace genclip {

namespace {

// No chain is longer.
constexpr int kMaxDepth = 32;

void find_replaced(FileSystem &files, const std::string &store, const ClipRecord &record, int depth,
                   std::set<std::string> &seen, std::vector<UsedReference> &replaced) {
  for (const UsedReference &used : record.references) {
    if (!ClipPath::is_digest(used.clip) || !seen.insert(used.clip).second) continue;
    const auto now = ClipFolder(files, ClipPath(store, used.clip)).look();
    const auto whole = now ? whole_clip_of(*now) : nullptr;
    if (!whole) continue;
    if (whole->task_id != used.task_id)
      replaced.push_back(used);
    else if (depth < kMaxDepth)
      find_replaced(files, store, *whole, depth + 1, seen, replaced);
  }
}

}  // namespace

std::vector<UsedReference> replaced_predecessors(FileSystem &files, const std::string &store,
                                                 const ClipRecord &record) {
  std::vector<UsedReference> replaced;
  std::set<std::string> seen;
  find_replaced(files, store, record, 1, seen, replaced);
  return replaced;
}

std::string replaced_text(const UsedReference &used) {
  return "The clip " + used.clip.substr(0, 8) + ", from which " + used.field +
         " was taken, has been generated anew since. What is stored still goes on from the earlier one; "
         "reuse=false generates it anew.";
}

}  // namespace genclip
