// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The terminal, or what stands in its place.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace genclip {

bool is_terminal(FILE *stream);
// More than any line has.
inline constexpr size_t kNoLimit = size_t{1} << 30;
// Columns of the terminal, $COLUMNS where there is none; kNoLimit in a pipe or a file, where programs look
// for whole texts.
size_t columns_of(FILE *stream);
// A terminal that does more than print: by $TERM.
bool takes_sequences(FILE *stream);
// Bold on such a terminal unless $NO_COLOR is set; else the text itself.
std::string emphasized(std::string_view text, FILE *stream);

// Columns that the text takes in a terminal.
size_t width_of(std::string_view text);
// One line without control characters, whatever the bytes are: texts of others may hold escape sequences.
std::string printable(std::string_view text);
// As a word of a command line that the user may copy: what others chose must not run there.
std::string shell_word(std::string_view text);

void print(std::string_view text);
// "genclip: TEXT" on standard error.
void print_error(std::string_view text);

}  // namespace genclip
