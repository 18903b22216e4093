// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/question_locks.h"

#include <algorithm>

#include "plugin/base/durable_file.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_log.h"

namespace genclip {
namespace {

// Each takes a file descriptor for as long as a request lasts, and there may be 64 requests. Those who ask
// the same have the same first keys.
constexpr size_t kMostLocks = 4;

}  // namespace

std::optional<QuestionLocks> QuestionLocks::take(FileSystem &files, const std::string &root,
                                                 std::vector<std::string> keys) {
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  if (keys.size() > kMostLocks) keys.resize(kMostLocks);
  QuestionLocks taken(files);
  if (!make_folder_durably(files, captions_folder(root))) return taken;
  for (const std::string &key : keys) {
    const std::string path = caption_lock_path(root, key);
    auto lock = FileLock::try_lock(path);
    if (!lock) {
      GST_CAT_INFO(store_category(), "questions are asked without a lock: %s", lock.error().text.c_str());
      return taken;
    }
    if (!*lock) return std::nullopt;
    // One that was left an hour ago would be removed under us (remove_answer_leftovers()).
    (void)files.touch(path);
    taken.locks_.emplace_back(path, *std::move(*lock));
  }
  return taken;
}

// The files go while their locks are held, so that nobody keeps a lock of one that is gone.
QuestionLocks::~QuestionLocks() {
  for (const auto &[path, lock] : locks_) (void)files_->remove(path);
}

}  // namespace genclip
