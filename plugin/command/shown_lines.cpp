// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/shown_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plugin/command/console.h"
#include "plugin/command/text_table.h"

namespace genclip {
namespace {

constexpr size_t kHang = 2;         // How much further what continues a message is indented.
constexpr size_t kCommandHang = 4;  // The same of a command.
constexpr size_t kBelowName = 6;    // The indent of a text that stands below its name.
constexpr std::string_view kContinued = " \\\n";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string hanging(std::string_view line, size_t columns, size_t hang) {
  if (width_of(line) <= columns) return std::string(line) + "\n";
  const size_t indent = indent_of(line);
  const size_t beside = std::min(indent + hang, columns / 2);
  std::string text;
  for (const std::string &part : wrapped(line.substr(indent), columns - beside, LongWords::kept)) {
    if (!text.empty()) text += "\n" + std::string(hang, ' ');
    text += std::string(indent, ' ') + part;
  }
  return text + "\n";
}

// The words as a shell splits them, with their quotes. What is in parentheses, as "(not complete)", stays
// with the word before it.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words(1);
  char quote = '\0';  // The one that ends what has begun.
  bool escapes = false;
  for (size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    const bool is_escaped = std::exchange(escapes, false);
    escapes = c == '\\' && !is_escaped && quote != '\'';
    if (c == ' ' && quote == '\0' && !is_escaped && !command.substr(at).starts_with(" (")) {
      words.emplace_back();
      continue;
    }
    words.back() += c;
    if (is_escaped) continue;
    if (c == quote)
      quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\'' || c == '('))
      quote = c == '(' ? ')' : c;
  }
  return words;
}

// "  -y, --yes      Generate without asking". A name so long that its text would be narrow stands above it.
std::string entry_lines(std::string_view line, size_t gap, size_t columns) {
  const std::string name(line.substr(0, gap));
  const size_t begin = line.find_first_not_of(' ', gap);
  const size_t indent = width_of(line.substr(0, begin));
  const std::string_view text = line.substr(begin);
  if (indent <= columns / 2) return entry_text(name, indent - kGap, text, columns);
  return name + "\n" + hanging(std::string(kBelowName, ' ') + std::string(text), columns, 0);
}

// With each command that is written on several lines in one.
std::string with_whole_commands(std::string_view help) {
  std::string text;
  for (const std::string_view line : lines_of(help)) {
    const bool continues = text.ends_with("\\\n");
    if (continues) text.resize(text.size() - 2);
    text += std::string(continues ? line.substr(indent_of(line)) : line) + "\n";
  }
  return text;
}

}  // namespace

std::string message_lines(std::string_view text, size_t columns) {
  if (columns == kNoLimit) return std::string(text);
  std::string lines;
  for (const std::string_view line : lines_of(text)) lines += hanging(line, columns, kHang);
  if (!lines.empty()) lines.pop_back();
  return lines;
}

std::string command_lines(std::string_view text, size_t columns) {
  if (columns == kNoLimit) return std::string(text);
  if (width_of(text) <= columns) return std::string(text);
  // Not wrapped(), which ends a line inside a word of Chinese or Japanese: a shell would read another word.
  const size_t indent = indent_of(text);
  const size_t width = columns - std::min(indent + kCommandHang + 2, columns / 2);
  std::string lines;
  size_t used = 0;
  for (const std::string &word : shell_words(text.substr(indent))) {
    const size_t wide = width_of(word);
    const bool fits = used + 1 + wide <= width;
    if (lines.empty())
      lines.append(indent, ' ');
    else
      lines += fits ? " " : std::string(kContinued) + std::string(indent + kCommandHang, ' ');
    lines += word;
    used = fits && used > 0 ? used + 1 + wide : wide;
  }
  return lines;
}

std::string help_lines(std::string_view help, size_t columns) {
  std::string text;
  std::string paragraph;
  bool are_examples = false;
  const auto end_paragraph = [&] {
    if (paragraph.empty()) return;
    are_examples = paragraph == "Examples:" || paragraph == "Example:";
    text += hanging(paragraph, columns, 0);
    paragraph.clear();
  };
  const std::string whole = with_whole_commands(help);
  for (const std::string_view line : lines_of(whole)) {
    if (!line.empty() && indent_of(line) == 0) {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
      continue;
    }
    end_paragraph();
    const size_t gap = line.find("  ", indent_of(line));
    if (line.empty())
      text += "\n";
    else if (are_examples)
      text += command_lines(line, columns) + "\n";
    else if (gap == line.npos)
      text += hanging(line, columns, kCommandHang);
    else
      text += entry_lines(line, gap, columns);
  }
  end_paragraph();
  return text;
}

}  // namespace genclip
