// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clips that the words of a command name. Every command that takes a clip of the store takes all of
// these.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/command/command_options.h"
#include "plugin/store/store_listing.h"

namespace genclip {

// How the help of each such command ends.
inline constexpr const char *kKeysText =
    "KEY is a key from the first column of genclip store list, the first 8 or more\n"
    "digits of one, a task ID, the clip's genclip:// URI, or the path of the stored\n"
    "clip or of its folder. A URI needs GENCLIP_BASE_URL or --base-url.\n\n"
    "Exit code: 0 success, 1 failure or a damaged clip, 2 usage error.\n";

// --store, and --base-url for a clip that is named by its URI.
void add_choice_options(CommandOptions &options, RunSettings &run);

// True for a word that can be nothing but a URI or a path, whatever the store holds.
bool names_place(const std::string &word);

// The key of the clip that a URI or a path in the store means; any other word as it is. Reads the files that
// a URI refers to.
Result<std::string> clip_key(const std::string &word, RunSettings run);

// One clip. ErrorKind::not_found when it is not stored.
Result<StoredClip> chosen_clip(const std::string &word, const RunSettings &run);
// One clip for each word, or all clips if there is none. One wrong word is an error.
Result<std::vector<StoredClip>> chosen_clips(const Words &words, const RunSettings &run);

// Their keys, as JSON.
Json keys_of(const std::vector<StoredClip> &clips);

}  // namespace genclip
