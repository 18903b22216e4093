// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A generation's status as the journal spells it (docs/store-format.md).
#pragma once

#include <string_view>

#include "plugin/generation/clip_status.h"

namespace genclip {

// The enumerator's name.
std::string_view status_word(ClipStatus status);

// `queued` for a word that is none.
ClipStatus status_of(std::string_view word);

}  // namespace genclip
