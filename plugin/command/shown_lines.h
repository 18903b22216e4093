// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Prose in lines that fit: messages, help, and commands to copy. A word is never broken, because it may be a
// path or a URI; one that is longer than a line keeps its line to itself.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// A message: each of its lines is broken between words, and what continues one is indented by two blanks
// more. With kNoLimit columns it stays as it is.
std::string message_lines(std::string_view text, size_t columns);

// A command line that users copy: each line that is continued ends with a backslash, as shells read it, and
// words in quotes stay together.
std::string command_lines(std::string_view text, size_t columns);

// The help of a command:
// - Lines that begin in the first column are paragraphs, which are filled anew.
// - An indented line that holds a gap is a name and its text: "  -y, --yes      Generate without asking".
// - Other indented lines are wrapped by themselves. Below "Example:" or "Examples:" they are commands to
// copy.
std::string help_lines(std::string_view text, size_t columns);

}  // namespace genclip
