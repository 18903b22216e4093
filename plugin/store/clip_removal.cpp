// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Takes both locks, renames the whole folder, then removes its files. A folder that holds foreign files is
// not renamed; there the clip is removed first, then its journal, then the locks.
#include "plugin/store/clip_removal.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "plugin/base/durable_file.h"
#include "plugin/base/shell_word.h"
#include "plugin/store/caption_answers.h"
#include "plugin/store/clip_content.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_log.h"

namespace genclip {
namespace {

constexpr size_t kMostTold = 10;
constexpr size_t kShortKey = 8;

// Held during a removal, so that it disturbs no writer and no reader. Absent: another process uses the clip.
struct BothLocks {
  StoreLock writer;
  StoreLock use;
};

Result<std::optional<BothLocks>> lock_both(const ClipPath &path) {
  auto writer = StoreLock::try_lock(path.lock());
  if (!writer) return std::move(writer).error();
  if (!*writer) return std::optional<BothLocks>();
  auto use = StoreLock::try_lock(path.use());
  if (!use) return std::move(use).error();
  if (!*use) return std::optional<BothLocks>();
  return std::optional<BothLocks>(BothLocks{std::move(**writer), std::move(**use)});
}

void log(const Error &error) { GST_CAT_WARNING(store_category(), "%s", error.text.c_str()); }

// The name that a clip's folder has while it is removed.
ClipPath removed_path(const ClipPath &path) { return {path.root(), ClipPath::removed(path.digest())}; }

// Removes a folder that a removal renamed, or that a crash left. In a store that others write to it may be a
// link, which is not followed. True: it is gone.
bool clear_removed(FileSystem &files, const ClipPath &path) {
  const auto info = files.info(path.folder());
  if (info && !*info) return true;
  if (info && (*info)->is_folder) {
    const auto record = ClipFolder(files, path).look();
    const auto content = content_of(files, path.folder(), record ? &*record : nullptr);
    for (const std::string &name : content ? content->own : std::vector<std::string>())
      if (auto removed = files.remove(path.file(name)); !removed) log(removed.error());
    if (content && content->has_foreign) {
      GST_CAT_INFO(store_category(), "%s contains foreign files and is kept", path.folder().c_str());
      return false;
    }
  }
  const auto removed = files.remove(path.folder());
  if (!removed) log(removed.error());
  return removed.has_value();
}

// The order in which files are removed: a clip without its journal would have no owner, and without a lock
// two processes could work on it.
int turn_of(const std::string &name) {
  if (name == "lock" || name == "use") return 2;
  return name == "task.json" ? 1 : 0;
}

Result<void> remove_in_place(FileSystem &files, const ClipPath &path, ClipContent content) {
  std::stable_sort(content.own.begin(), content.own.end(),
                   [](const std::string &a, const std::string &b) { return turn_of(a) < turn_of(b); });
  bool has_begun = false;
  int turn = 0;
  for (const std::string &name : content.own) {
    if (turn_of(name) != std::exchange(turn, turn_of(name)))
      if (auto synced = files.sync_folder(path.folder()); !synced) log(synced.error());
    if (auto removed = files.remove(path.file(name)); removed)
      has_begun = true;
    else if (!has_begun)
      return removed;
    else
      log(removed.error());
  }
  if (!content.has_foreign)
    if (auto removed = files.remove(path.folder()); !removed) log(removed.error());
  return {};
}

// Needs both locks.
Result<void> remove_content(FileSystem &files, const ClipPath &path, const ClipRecord *record) {
  auto content = content_of(files, path.folder(), record);
  if (!content) return std::move(content).error();
  const ClipPath removed = removed_path(path);
  if (content->has_foreign || !clear_removed(files, removed))
    return remove_in_place(files, path, std::move(*content));
  if (auto renamed = rename_durably(files, path.folder(), removed.folder()); !renamed) return renamed;
  clear_removed(files, removed);  // It has left the store already, whether or not this succeeds.
  return {};
}

// The kept answers of captions, to be removed between the clips of their age.
class AnswersByAge {
 public:
  AnswersByAge(FileSystem &files, const std::string &root) : files_(files), root_(root) {
    auto answers = list_answers(files, root);
    if (answers)
      answers_ = *std::move(answers);
    else
      log(answers.error());
  }

  uint64_t size() const {
    uint64_t size = 0;
    for (const AnswerFile &answer : answers_) size += answer.size;
    return size;
  }

  void remove_older_than(int64_t time, uint64_t max_size, Pruned &pruned) {
    for (; next_ < answers_.size() && answers_[next_].last_used < time && pruned.size > max_size; ++next_) {
      const AnswerFile &answer = answers_[next_];
      if (auto removed = remove_answer(files_, root_, answer.key); !removed) {
        log(removed.error());
        continue;
      }
      ++pruned.answers;
      pruned.answers_size += answer.size;
      pruned.size -= answer.size;
    }
  }

 private:
  FileSystem &files_;
  const std::string root_;
  std::vector<AnswerFile> answers_;
  size_t next_ = 0;
};

std::string answers_removal_text(const Pruned &pruned) {
  if (pruned.answers == 0) return {};
  return (pruned.answers == 1 ? "One kept answer of gencaption was"
                              : std::to_string(pruned.answers) + " kept answers of gencaption were") +
         std::string(" removed from the store to make room (store-max-size); the next run asks again.");
}

// Removes the folder of a run that ended before its intent. While the ledger may have its reservation,
// `unsent` alone tells that nothing was sent for it; a run of the request removes that file.
void remove_leftover(FileSystem &files, const std::string &root, const std::string &digest) {
  const ClipPath path(root, digest);
  const auto is_leftover = [&] {
    const auto content = content_of(files, path.folder(), nullptr);
    return content && !content->holds_clip && !content->has_foreign &&
           ClipFolder(files, path).unsent().empty();
  };
  if (!is_leftover()) return;
  const auto locks = lock_both(path);
  if (!locks || !*locks || !is_leftover()) return;
  if (auto removed = remove_content(files, path, nullptr); !removed) log(removed.error());
}

// A clip may have been used since its row was written, so it is looked at again when its turn comes. After an
// error of `before` the others stay, too: a ledger that is locked would be waited for again with each.
void remove_clips(FileSystem &files, const std::string &root, uint64_t max_size, StoreCensus &census,
                  AnswersByAge &answers, const BeforeRemoval &before, Pruned &pruned) {
  using Folder = StoreCensus::Folder;
  const auto is_later = [](const Folder *a, const Folder *b) {
    return std::tie(a->last_used, a->digest) > std::tie(b->last_used, b->digest);
  };
  const auto may_go = [](const Folder &folder) { return folder.is_complete && !folder.is_pinned; };
  std::optional<Error> untold;
  BeforeRemoval before_once;
  if (before)
    before_once = [&](const StoredClip &clip) {
      auto told = before(clip);
      if (!told) untold = told.error();
      return told;
    };
  std::vector<Folder *> oldest;  // A heap.
  for (Folder &folder : census.folders())
    if (may_go(folder)) oldest.push_back(&folder);
  std::ranges::make_heap(oldest, is_later);
  while (!oldest.empty()) {
    std::ranges::pop_heap(oldest, is_later);
    Folder &folder = *oldest.back();
    oldest.pop_back();
    answers.remove_older_than(folder.last_used, max_size, pruned);
    const Folder seen = folder;
    census.refresh(folder);
    pruned.size += folder.size - seen.size;
    if (pruned.size <= max_size) return;
    if (!may_go(folder)) continue;
    if (folder.last_used > seen.last_used) {
      oldest.push_back(&folder);
      std::ranges::push_heap(oldest, is_later);
      continue;
    }
    auto removed =
        remove_clip(files, root, std::string(folder.digest), Removable::complete, Pinned::stay, before_once);
    if (untold) {
      GST_CAT_WARNING(store_category(),
                      "%s: no room is made, because the ledger cannot be told of a clip: %s", root.c_str(),
                      untold->text.c_str());
      return;
    }
    if (!removed) {
      GST_CAT_DEBUG(store_category(), "not removed: %s", removed.error().text.c_str());
      continue;
    }
    pruned.size -= folder.size;
    folder = Folder{FolderRow{.digest = folder.digest}};
    pruned.removed.push_back(std::move(*removed));
  }
}

}  // namespace

Result<StoredClip> remove_clip(FileSystem &files, const std::string &root, const std::string &digest,
                               Removable removable, Pinned pinned, const BeforeRemoval &before) {
  const ClipPath path(root, digest);
  const auto there = files.info(path.folder());
  if (!there) return there.error();
  const Error gone{ErrorKind::not_found, "There is no clip in " + path.folder() + "."};
  if (!*there || !(*there)->is_folder || !ClipPath::is_digest(digest)) return gone;
  const auto locks = lock_both(path);
  if (!locks) return locks.error();
  if (!*locks)
    return Error{ErrorKind::busy,
                 path.folder() + " is in use. Close the program that plays or fetches it and try again."};
  auto clip = stored_in(files, root, digest);
  if (!clip) return gone;
  if (clip->pinned && pinned == Pinned::stay)
    return Error{ErrorKind::settings,
                 path.folder() + " is pinned. Unpin it first (genclip store unpin " +
                     digest.substr(0, kShortKey) + "), or remove it with --pinned.",
                 "", clip->record ? clip->record->task_id : std::string()};
  const auto refused = [&](const char *why) {
    return Error{ErrorKind::settings, path.folder() + why, "",
                 clip->record ? clip->record->task_id : std::string()};
  };
  if (removable != Removable::any && !clip->is_complete())
    return refused(clip->whole() ? " contains a whole clip, and a task that may still deliver another one."
                                 : " contains no whole clip, and its task may still deliver one.");
  if (removable == Removable::settled && may_bring_more(*clip->record))
    return refused(
        " names an earlier task or submit of the clip's request that may be paid for and has brought no clip "
        "yet. genclip store remove --any removes it nevertheless.");
  if (before)
    if (auto told = before(*clip); !told) return std::move(told).error();
  if (auto removed = remove_content(files, path, clip->record ? &*clip->record : nullptr); !removed)
    return std::move(removed).error();
  GST_CAT_INFO(store_category(), "%s: removed, task %s, %s", path.folder().c_str(),
               clip->record ? clip->record->task_id.c_str() : "", cost_text(*clip).c_str());
  return std::move(*clip);
}

Result<Pruned> prune_store(FileSystem &files, const std::string &root, uint64_t max_size,
                           std::string_view new_clip, CensusPace pace, const BeforeRemoval &before) {
  Pruned pruned;
  const auto names = names_in_store(files, root);
  if (!names) return names.error();
  if (names->empty()) return pruned;
  for (const std::string &name : *names)
    if (ClipPath::is_removed(name)) clear_removed(files, ClipPath(root, name));

  StoreCensus census(files, root, *names, new_clip, pace);
  for (const StoreCensus::Folder &folder : census.folders()) pruned.size += folder.size;
  AnswersByAge answers(files, root);
  pruned.size += answers.size();
  if (pruned.size > max_size) remove_clips(files, root, max_size, census, answers, before, pruned);
  answers.remove_older_than(std::numeric_limits<int64_t>::max(), max_size, pruned);
  remove_answer_leftovers(files, root);
  for (const std::string_view digest : census.without_clip())
    remove_leftover(files, root, std::string(digest));
  census.save();
  return pruned;
}

std::vector<std::string> open_task_texts(const StoredClip &clip) {
  std::vector<std::string> texts;
  for (const std::string &id : clip.record ? unfetched_tasks_of(*clip.record) : std::vector<std::string>())
    texts.push_back("Task " + id + " of " + clip.digest.substr(0, kShortKey) +
                    " is, or may be, paid for, and its clip is not here. To fetch it: genclip store fetch " +
                    shell_operand(id));
  return texts;
}

std::string removal_text(const Pruned &pruned) {
  std::string answers = answers_removal_text(pruned);
  if (pruned.removed.empty()) return answers;
  const size_t count = pruned.removed.size();
  std::string text = count == 1 ? "One clip was removed from the store to make room"
                                : std::to_string(count) + " clips were removed from the store to make room";
  text += " (store-max-size): ";
  for (size_t i = 0; i < std::min(count, kMostTold); ++i) {
    const StoredClip &clip = pruned.removed[i];
    text += (i > 0 ? "; " : "") + clip.digest.substr(0, kShortKey);
    if (clip.record && !clip.record->task_id.empty()) text += ", task " + clip.record->task_id;
    text += ", which cost " + cost_text(clip);
  }
  if (count > kMostTold) text += "; and " + std::to_string(count - kMostTold) + " more";
  text += ".";
  if (count > 1) text += " Together they cost " + cost_of(pruned.removed).text() + ".";
  text += " As long as the service keeps a task, genclip store fetch gets its clip again by the task's ID.";
  for (const StoredClip &clip : pruned.removed)
    for (const std::string &open : open_task_texts(clip)) text += " " + open + ".";
  return answers.empty() ? text : text + " " + answers;
}

}  // namespace genclip
