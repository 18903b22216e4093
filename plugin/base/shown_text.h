// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes texts of any origin safe to show on a terminal or in a log.
#pragma once

#include <glib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace genclip {

// False for a character that moves the cursor, ends a line, or reorders or hides the text around it: the
// controls of C0 and C1 (a terminal takes U+009B for the start of a sequence), separators of lines, and
// formatting, directions among it.
bool is_shown(gunichar character);
// True for UTF-8 each of whose characters is shown.
bool is_all_shown(std::string_view text);
// Any bytes as one line of UTF-8, with a blank for each character that is not shown. At most `max_characters`
// (1 or more) of them; if that leaves some out, the last one is an ellipsis.
std::string shown_line(std::string_view text, size_t max_characters = SIZE_MAX);
// What a service says, " It says: MESSAGE.", to follow a sentence; empty without a message.
std::string it_says(const std::string &message);

}  // namespace genclip
