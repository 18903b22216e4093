// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where a clip goes besides the store.
#pragma once

#include <string>

#include "plugin/base/result.h"
#include "plugin/generation/growing_clip.h"

namespace genclip {

inline constexpr const char *kStandardOutput = "-";

// Before anything is paid: can a clip be written there?
Result<void> check_output(const std::string &path);
// Copies a whole clip. A file is replaced only when the copy is whole.
Result<void> write_output(GrowingClip &clip, const std::string &path);

}  // namespace genclip
