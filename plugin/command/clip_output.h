// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes a clip to a place of the user's choice.
#pragma once

#include <string>

#include "plugin/base/result.h"
#include "plugin/catalog/model_spec.h"
#include "plugin/generation/growing_clip.h"

namespace genclip {

inline constexpr const char *kStandardOutput = "-";

// Checks, before anything is paid, that a clip can be written there, and that the name suits what the model
// makes (null: an unknown model).
Result<void> check_output(const std::string &path, const ModelSpec *model);
// The same of the name alone: its folder is still to be made.
Result<void> check_output_name(const std::string &path, const ModelSpec *model);
// Says how the name of `output` contradicts that of the clip; empty when it does not.
std::string other_content(const std::string &output, const std::string &clip);
// Copies a whole clip. Replaces a file only once the copy is complete. False: the file has the same bytes
// already, and stays as it is; what is newer than the file, such as captions, stays newer.
Result<bool> write_output(GrowingClip &clip, const std::string &path);

}  // namespace genclip
