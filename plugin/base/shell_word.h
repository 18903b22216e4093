// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Texts of any origin in command lines that a person may copy.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Quoted as one word, in one line without control characters: a service's text must not run as a command.
std::string shell_word(std::string_view text);
// The same for what a command is about, such as the ID of a task. One that begins with "-" stands behind
// "--", or it would be an option; so the command's options stand before it.
std::string shell_operand(std::string_view text);

}  // namespace genclip
