// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a service says, as a line that can be shown to people.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Any bytes made fit to be shown: one line of valid UTF-8, without control and direction characters, without
// `key` (empty: none), Bearer tokens and URLs' queries; at most `max_characters` of them (1 or more), the
// last one an ellipsis when there are more.
std::string display_line(std::string_view text, size_t max_characters, std::string_view key);

}  // namespace genclip
