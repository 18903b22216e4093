// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clips that the words of a store command name.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/command/command.h"
#include "plugin/store/store_listing.h"

namespace genclip {

// How the help of each such command ends.
inline constexpr const char *kKeysText =
    "KEY is a key from the first column of genclip store list, the first 8 or more\n"
    "digits of one, or a task ID.\n\n"
    "Exit code: 0 success, 1 failure or a damaged clip, 2 usage error.\n";

// One clip for each key, or all clips without a key. One wrong key is an error.
Result<std::vector<StoredClip>> chosen_clips(const std::string &root, const Words &keys);

// Their keys, as JSON.
Json keys_of(const std::vector<StoredClip> &clips);

}  // namespace genclip
