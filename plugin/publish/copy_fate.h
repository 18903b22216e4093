// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a published copy is still needed. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/words.h"
#include "plugin/store/clip_record.h"

namespace genclip {

// How long a copy is kept after its last use: a service may fetch it again when it repeats a task of its own.
inline constexpr int64_t kCopyGrace = 24 * 60 * 60;  // seconds

// A clip whose record names the copy.
struct CopyUse {
  std::string digest;
  std::optional<ClipState> state;  // Nothing: the record cannot be understood.
  int64_t updated_at = 0;          // Unix time in seconds, as all times here.

  friend bool operator==(const CopyUse &, const CopyUse &) = default;
};

enum class CopyFate {
  needed,   // A task that uses it has not ended, or may not have.
  recent,   // It was published, or a task that used it ended, less than kCopyGrace ago.
  foreign,  // Another store made it, or another program.
  due,      // It may be removed.
};
template <>
inline constexpr Word<CopyFate> kWords<CopyFate>[] = {{CopyFate::needed, "needed"},
                                                      {CopyFate::recent, "recent"},
                                                      {CopyFate::foreign, "foreign"},
                                                      {CopyFate::due, "due"}};

// Of a copy that this store made. `modified`: when it was published last. A time in the future is recent.
CopyFate copy_fate(int64_t modified, const std::vector<CopyUse> &uses, int64_t now);

}  // namespace genclip
