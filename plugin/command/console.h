// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Output to the terminal, or to a pipe or a file in its place.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace genclip {

class Json;

bool is_terminal(FILE *stream);
// More columns than any line has, and more rows than any text.
inline constexpr size_t kNoLimit = size_t{1} << 30;
// The columns of the terminal, or $COLUMNS without one; kNoLimit for a pipe or a file, where programs expect
// whole texts.
size_t columns_of(FILE *stream);
// The rows of the terminal, or $LINES without one; kNoLimit for a pipe or a file.
size_t rows_of(FILE *stream);
// Whether $TERM says that the terminal can move its cursor and print bold text.
bool takes_sequences(FILE *stream);
// Bold on such a terminal unless $NO_COLOR is set; else the text itself.
std::string emphasized(std::string_view text, FILE *stream);

// Columns that the text takes in a terminal.
size_t width_of(std::string_view text);
// One line without control characters, whatever the bytes are: a service's texts may hold escape sequences.
std::string printable(std::string_view text);

void print(std::string_view text);
// A line of standard output, at once. Strangers name files: a terminal gets the path printable, a pipe as it
// is.
void print_path(const std::string &path);
// Likewise. Without what a terminal must not see, which JSON escapes.
void print_json_line(const Json &json);
// A line of prose on standard output, in lines that fit.
void print_prose(std::string_view text);
// These go to standard error, on a terminal in lines that fit, with settings named as the command's options.
// "genclip: TEXT".
void print_error(std::string_view text);
// "genclip: Warning: TEXT", of any text.
void print_warning(std::string_view text);
// "TEXT", for what is neither an error nor a warning.
void print_note(std::string_view text);
// "genclip: Request: COMMAND", whose words are copied to a command line. `before`: empty for a note.
void print_request(std::string_view words, std::string_view before = "genclip: ");

// A program that works for days must not wait for a reader that stalls: a pager, or a terminal after Ctrl-S.
// While this exists, what is printed is written by threads of its own, and a line that nobody reads is left
// out; one that cannot be written (the reader is gone, the disk is full) is, too. One at a time. Any thread
// may print.
class BackgroundConsole {
 public:
  BackgroundConsole();
  // Gives the last lines a moment, but does not wait for such a reader.
  ~BackgroundConsole();
  BackgroundConsole(const BackgroundConsole &) = delete;
  BackgroundConsole &operator=(const BackgroundConsole &) = delete;
};

}  // namespace genclip
