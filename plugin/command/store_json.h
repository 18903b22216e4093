// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Stored clips as JSON for scripts; docs/command.md describes it.
#pragma once

#include <string>

#include "plugin/base/json.h"
#include "plugin/store/store_listing.h"

namespace genclip {

// A clip as a list shows it.
Json stored_json(const StoredClip &clip);
// A clip with everything that is known about it.
Json stored_details_json(const StoredClip &clip);

// The record's state as a word; "damaged" or "unreadable" without a record.
std::string state_word(const StoredClip &clip);
// The beginning of its digest, as the commands accept it.
std::string short_key(const StoredClip &clip);

// The command that fetches it again from its task, as the end of a sentence's line; empty: there is no task.
std::string fetch_hint(const StoredClip &clip);

// The request's seed; empty when it has none.
std::string seed_text(const StoredClip &clip);

}  // namespace genclip
