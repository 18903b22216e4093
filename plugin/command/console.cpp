// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/console.h"

#include <glib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/command/option_words.h"
#include "plugin/command/shown_lines.h"
#include "plugin/command/text_table.h"

namespace genclip {
namespace {

constexpr size_t kUsualColumns = 80;
constexpr size_t kFewestColumns = 40;
constexpr size_t kUsualRows = 24;
constexpr size_t kFewestRows = 4;

struct Side {
  const char *variable;
  size_t usual, least;
};

size_t length_of(FILE *stream, unsigned short winsize::*side, const Side &otherwise) {
  size_t length = 0;
  struct winsize size {};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0) length = size.*side;
  if (const char *set = g_getenv(otherwise.variable); length == 0 && set)
    length = parse_number<size_t>(set).value_or(0);
  if (length == 0) return is_terminal(stream) ? otherwise.usual : kNoLimit;
  return std::max(length, otherwise.least);
}

// Programs that read messages expect each on one line, even where $COLUMNS is set for tables.
size_t message_columns() { return is_terminal(stderr) ? columns_of(stderr) : kNoLimit; }

void print_line(std::string_view text) {
  fflush(stdout);
  fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

}  // namespace

bool is_terminal(FILE *stream) { return ::isatty(::fileno(stream)) == 1; }

size_t columns_of(FILE *stream) {
  return length_of(stream, &winsize::ws_col, {"COLUMNS", kUsualColumns, kFewestColumns});
}

size_t rows_of(FILE *stream) {
  return length_of(stream, &winsize::ws_row, {"LINES", kUsualRows, kFewestRows});
}

bool takes_sequences(FILE *stream) {
  const char *terminal = g_getenv("TERM");
  return is_terminal(stream) && terminal && *terminal && !g_str_equal(terminal, "dumb");
}

std::string emphasized(std::string_view text, FILE *stream) {
  const char *no_color = g_getenv("NO_COLOR");
  const bool plain = !takes_sequences(stream) || (no_color && *no_color);
  return plain ? std::string(text) : "\033[1m" + std::string(text) + "\033[0m";
}

size_t width_of(std::string_view text) {
  size_t width = 0;
  const char *end = text.data() + text.size();
  for (const char *at = text.data(); at < end; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (!g_unichar_iszerowidth(c)) width += g_unichar_iswide(c) ? 2 : 1;
  }
  return width;
}

std::string printable(std::string_view text) { return shown_line(text); }

void print(std::string_view text) { fwrite(text.data(), 1, text.size(), stdout); }

void print_prose(std::string_view text) {
  for (const std::string &line : wrapped(text, columns_of(stdout), LongWords::kept)) print(line + "\n");
}

void print_error(std::string_view text) { print_note("genclip: " + std::string(text)); }

void print_warning(std::string_view text) { print_error("Warning: " + printable(text)); }

void print_note(std::string_view text) { print_line(message_lines(with_options(text), message_columns())); }

void print_request(std::string_view words, std::string_view before) {
  print_line(command_lines(std::string(before) + "Request: " + std::string(words), message_columns()));
}

}  // namespace genclip
