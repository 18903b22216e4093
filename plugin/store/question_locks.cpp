// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/question_locks.h"

#include <algorithm>

#include "plugin/base/durable_file.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_log.h"

namespace genclip {
namespace {

// Each takes a file descriptor. A request has that many texts and languages together only in a translation.
constexpr size_t kMostLocks = 32;

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
    taken.locks_.emplace_back(path, *std::move(*lock));
  }
  return taken;
}

// The files go while their locks are held, so that nobody keeps a lock of one that is gone.
QuestionLocks::~QuestionLocks() {
  for (const auto &[path, lock] : locks_) (void)files_->remove(path);
}

}  // namespace genclip
