// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes a clip to a place of the user's choice.
#pragma once

#include <functional>
#include <string>

#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/model_spec.h"
#include "plugin/generation/growing_clip.h"

namespace genclip {

inline constexpr const char *kStandardOutput = "-";
inline constexpr const char *kTheClip = "The clip";  // What an error says cannot be written.

// Whether both are names of one file or folder, whatever the links between; or, where none is yet, will be.
bool is_same_file(const std::string &one, const std::string &other);

// kStandardOutput for a path that leads to the standard output of this process, as /dev/stdout does; else the
// path.
std::string output_named(const std::string &path);

// A file that only genclip itself writes: in the folder of a stored clip, or the ledger and what else is in a
// store's own folder.
bool is_of_store(const std::string &path);

// Checks, before anything is paid, that a clip can be written there, that it would replace nothing of a
// store, and that the name suits what the model makes (null: an unknown model).
Result<void> check_output(const std::string &path, const ModelSpec *model, const char *what = kTheClip);
// That the clip would not replace a file that its request refers to.
Result<void> check_replaces_no_reference(const std::string &path, const CheckedRequest &request);
// Checks that a folder is there, or can be made.
Result<void> check_output_folder(const std::string &path);
// The same as check_output() of the name alone: its folder is still to be made.
Result<void> check_output_name(const std::string &path, const ModelSpec *model, const char *what = kTheClip);
// Says how the name of `output` contradicts that of the clip; empty when it does not.
std::string other_content(const std::string &output, const std::string &clip);
// Copies a whole clip. Replaces a file only once the copy is complete. False: the file has the same bytes
// already, and stays as it is; what is newer than the file, such as captions, stays newer. Once `is_stopped`
// says so, it ends with ErrorKind::cancelled, and leaves nothing beside the file.
Result<bool> write_output(GrowingClip &clip, const std::string &path,
                          const std::function<bool()> &is_stopped = {});

}  // namespace genclip
