// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Who asks a question of captions now, among all elements, processes and machines that share the store: the
// others wait for the answer, which is paid once.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/file_lock.h"
#include "plugin/base/file_system.h"

namespace genclip {

// Held until destroyed, or until the process dies. Blocks for the disk, as its destructor does.
class QuestionLocks {
 public:
  QuestionLocks() = default;  // Of nothing.
  // `keys`: question_key(). All of them, or nothing when somebody holds one. Of nothing where the store
  // cannot be locked: then nobody waits. Of many, the first, in the order of their keys.
  static std::optional<QuestionLocks> take(FileSystem &files, const std::string &root,
                                           std::vector<std::string> keys);
  QuestionLocks(QuestionLocks &&) = default;
  QuestionLocks &operator=(QuestionLocks &&) = delete;
  ~QuestionLocks();

  bool empty() const { return locks_.empty(); }

 private:
  explicit QuestionLocks(FileSystem &files) : files_(&files) {}

  FileSystem *files_ = nullptr;
  std::vector<std::pair<std::string, FileLock>> locks_;  // By their paths.
};

}  // namespace genclip
