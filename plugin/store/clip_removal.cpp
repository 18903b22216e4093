// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Both locks, then a rename of the whole folder, then its files.
#include "plugin/store/clip_removal.h"

#include "plugin/base/durable_file.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_log.h"

namespace genclip {
namespace {

// A folder in there is a stranger, but not one of the kind that is removed with all it holds. In a store that
// others write to, the folder may be a link: what it leads to is not ours to empty.
Result<void> remove_files(FileSystem &files, const std::string &folder) {
  const auto info = files.info(folder);
  if (!info) return info.error();
  if (!*info || !(*info)->is_folder) return files.remove(folder);
  const auto names = files.list(folder);
  if (!names) return names.error();
  for (const std::string &name : *names)
    if (auto removed = files.remove(folder + "/" + name); !removed) return removed;
  return files.remove(folder);
}

Error in_use(const std::string &folder) {
  return {ErrorKind::busy, folder + " is in use. Close what plays or fetches it and try again."};
}

}  // namespace

Result<void> remove_clip(FileSystem &files, const std::string &root, const std::string &digest,
                         Removable removable) {
  const ClipPath path(root, digest);
  const ClipFolder folder(files, path);
  const auto there = files.info(path.folder());
  if (!there) return there.error();
  if (!*there || !(*there)->is_folder || !ClipPath::is_digest(digest))
    return Error{ErrorKind::not_found, "There is no " + path.folder() + "."};
  auto writer = StoreLock::try_lock(path.lock());
  if (!writer) return std::move(writer).error();
  if (!*writer) return in_use(path.folder());
  auto use = StoreLock::try_lock(path.use());
  if (!use) return std::move(use).error();
  if (!*use) return in_use(path.folder());

  const auto record = folder.look();
  if (removable == Removable::complete && !(record && record->state == ClipState::complete))
    return Error{ErrorKind::settings,
                 path.folder() + " holds no whole clip, and its task may still bring one.", "",
                 record ? record->task_id : std::string()};
  const std::string removed = ClipPath::removed(path.folder());
  if (const auto left = files.info(removed); left && *left)
    if (auto cleared = remove_files(files, removed); !cleared) return cleared;
  if (auto renamed = rename_durably(files, path.folder(), removed); !renamed) return renamed;
  GST_CAT_INFO(store_category(), "%s: removed", path.folder().c_str());
  return remove_files(files, removed);
}

Result<Pruned> prune_store(FileSystem &files, const std::string &root, uint64_t max_size) {
  const auto names = files.list(root);
  if (!names) return names.error();
  for (const std::string &name : *names)
    if (ClipPath::is_removed(name))
      if (auto cleared = remove_files(files, root + "/" + name); !cleared)
        GST_CAT_WARNING(store_category(), "%s", cleared.error().text.c_str());

  auto clips = list_store(files, root);
  if (!clips) return std::move(clips).error();
  Pruned pruned;
  for (const StoredClip &clip : *clips) pruned.size += clip.size;
  for (StoredClip &clip : *clips) {
    if (pruned.size <= max_size) break;
    if (!clip.is_complete()) continue;
    if (auto removed = remove_clip(files, root, clip.digest); !removed) {
      GST_CAT_DEBUG(store_category(), "not removed: %s", removed.error().text.c_str());
      continue;
    }
    pruned.size -= clip.size;
    pruned.removed.push_back(std::move(clip));
  }
  return pruned;
}

}  // namespace genclip
