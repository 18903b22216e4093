// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which stored clips somebody means by a few words.
#pragma once

#include "plugin/command/command.h"
#include "plugin/store/store_listing.h"

namespace genclip {

// Whether the clip's prompt, model, key, task ID or state contains each of the words, in capitals or not, of
// any script.
bool has_words(const StoredClip &clip, const Words &words);

}  // namespace genclip
