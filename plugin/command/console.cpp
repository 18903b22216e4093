// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/console.h"

#include <glib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/json_writer.h"
#include "plugin/base/mutex.h"
#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/command/line_queue.h"
#include "plugin/command/option_words.h"
#include "plugin/command/shown_lines.h"
#include "plugin/command/text_table.h"

namespace genclip {
namespace {

constexpr size_t kUsualColumns = 80;
constexpr size_t kFewestColumns = 40;
constexpr size_t kUsualRows = 24;
constexpr size_t kFewestRows = 4;
constexpr auto kLastLines = std::chrono::seconds(1);

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

// Of a BackgroundConsole; null without one.
struct LineQueues {
  Mutex mutex;
  std::shared_ptr<LineQueue> out GUARDED_BY(mutex), error GUARDED_BY(mutex);
};

LineQueues &line_queues() {
  static auto &all = *new LineQueues;  // Never destroyed: threads may outlive main().
  return all;
}

// False: there is none, so the caller writes.
bool write_later(FILE *stream, std::string text) {
  LineQueues &all = line_queues();
  MutexLock lock(all.mutex);
  const auto &queue = stream == stdout ? all.out : all.error;
  if (queue) queue->add(::fileno(stream), std::move(text));
  return queue != nullptr;
}

void print_line(std::string_view text) {
  if (write_later(stderr, std::string(text) + "\n")) return;
  fflush(stdout);
  fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

bool is_one_file(FILE *one, FILE *other) {
  struct stat a {};
  struct stat b {};
  return ::fstat(::fileno(one), &a) == 0 && ::fstat(::fileno(other), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

void tell_left_out(uint64_t lines) {
  print_error("Warning: " + std::to_string(lines) + (lines == 1 ? " line was" : " lines were") +
              " left out, because nobody read what was printed.");
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

void print(std::string_view text) {
  if (!write_later(stdout, std::string(text))) fwrite(text.data(), 1, text.size(), stdout);
}

void print_path(const std::string &path) {
  print((is_terminal(stdout) ? printable(path) : path) + "\n");
  fflush(stdout);
}

void print_json_line(const Json &json) {
  print(write_json(json, JsonLayout::shown_line, JsonOrder::kept) + "\n");
  fflush(stdout);
}

void print_prose(std::string_view text) {
  for (const std::string &line : wrapped(text, columns_of(stdout), LongWords::kept)) print(line + "\n");
}

void print_error(std::string_view text) { print_note("genclip: " + std::string(text)); }

void print_warning(std::string_view text) { print_error("Warning: " + printable(text)); }

void print_note(std::string_view text) { print_line(message_lines(with_options(text), message_columns())); }

void print_request(std::string_view words, std::string_view before) {
  print_line(command_lines(std::string(before) + "Request: " + std::string(words), message_columns()));
}

BackgroundConsole::BackgroundConsole() {
  fflush(stdout);
  LineQueues &all = line_queues();
  MutexLock lock(all.mutex);
  all.out = LineQueue::make(tell_left_out);
  // On one terminal, in the order in which they were printed; else neither waits for the other's reader.
  all.error = is_one_file(stdout, stderr) ? all.out : LineQueue::make(tell_left_out);
}

BackgroundConsole::~BackgroundConsole() {
  LineQueues &all = line_queues();
  std::shared_ptr<LineQueue> out, error;
  {
    MutexLock lock(all.mutex);
    out = std::exchange(all.out, nullptr);
    error = std::exchange(all.error, nullptr);
  }
  const auto end = std::chrono::steady_clock::now() + kLastLines;
  out->wait_until_empty(end);
  error->wait_until_empty(end);
}

}  // namespace genclip
