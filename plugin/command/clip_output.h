// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where a clip goes besides the store.
#pragma once

#include <string>

#include "plugin/base/result.h"
#include "plugin/catalog/model_spec.h"
#include "plugin/generation/growing_clip.h"

namespace genclip {

inline constexpr const char *kStandardOutput = "-";

// Before anything is paid: can a clip be written there, and is the name one for what that model makes? Null:
// a model that nobody knows.
Result<void> check_output(const std::string &path, const ModelSpec *model);
// Why the name of `output` says something else than that of the clip; empty when it does not.
std::string other_content(const std::string &output, const std::string &clip);
// Copies a whole clip. A file is replaced only when the copy is whole.
Result<void> write_output(GrowingClip &clip, const std::string &path);

}  // namespace genclip
