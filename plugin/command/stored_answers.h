// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The kept answers of captions, as the store commands tell of them.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/base/file_system.h"
#include "plugin/base/json.h"

namespace genclip {

struct AnswersTotal {
  int64_t count = 0;
  uint64_t size = 0;  // In bytes.

  // "3 kept answers of captions, 1.2 kB".
  std::string text() const;
  Json json() const;
};

Result<AnswersTotal> answers_total(FileSystem &files, const std::string &root);

struct AnswersCheck {
  int64_t whole = 0;
  int64_t damaged = 0;
};

// Reads each one, and prints an error for each that is damaged.
Result<AnswersCheck> check_answers(FileSystem &files, const std::string &root);

// Removes all of them, and returns what was removed. Prints an error for each that cannot be removed, and
// sets `failed`.
Result<AnswersTotal> remove_answers(FileSystem &files, const std::string &root, bool &failed);

}  // namespace genclip
