// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Stored clips as JSON for scripts; docs/command.md describes it.
#pragma once

#include <string>

#include "plugin/base/json.h"
#include "plugin/store/store_listing.h"

namespace genclip {

// What a list says of a clip.
Json stored_json(const StoredClip &clip);
// All of it.
Json stored_details_json(const StoredClip &clip);

// The record's state in a word, "damaged" or "unreadable" without one.
std::string state_word(const StoredClip &clip);
// As much of its name as tells it from others, as a person would write it.
std::string short_key(const StoredClip &clip);

// Of the request; empty when it has none.
std::string seed_text(const StoredClip &clip);

}  // namespace genclip
