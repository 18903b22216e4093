// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/numbered_lines.h"

#include <glib.h>

#include <optional>

#include "plugin/base/number.h"

namespace genclip {
namespace {

struct Marked {
  char style = 0;  // the character behind the number
  size_t number = 0;
  std::string_view text;
};

bool is_one_of(char c, std::string_view set) { return set.find(c) != set.npos; }

void skip(std::string_view &text, std::string_view set) {
  while (!text.empty() && is_one_of(text.front(), set)) text.remove_prefix(1);
}

// A number at the start of the line, maybe in bold or in a list.
std::optional<Marked> marked(std::string_view line) {
  skip(line, " \t*-_>#");
  const char opening = !line.empty() && is_one_of(line[0], "[(") ? line[0] : 0;
  if (opening) line.remove_prefix(1);
  size_t digits = 0;
  while (digits < line.size() && g_ascii_isdigit(line[digits])) ++digits;
  if (digits == 0 || digits == line.size()) return std::nullopt;
  const char closing = line[digits];
  const bool fits = opening == '['   ? closing == ']'
                    : opening == '(' ? closing == ')'
                                     : is_one_of(closing, ".):|");
  // A number that is too large is one that nobody asked for.
  const auto number = parse_number<size_t>(line.substr(0, digits));
  if (!fits) return std::nullopt;
  line.remove_prefix(digits + 1);
  skip(line, "*_");
  if (!line.empty() && !is_one_of(line.front(), " \t")) return std::nullopt;  // 1.5, 10:30
  skip(line, " \t");
  return Marked{opening ? opening : closing, number.value_or(0), line};
}

std::string_view without_end(std::string_view line) {
  while (!line.empty() && g_ascii_isspace(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<std::string> read_numbered_lines(std::string_view text, size_t count) {
  std::vector<std::string> none(count);
  std::vector<std::string> answers(count);
  std::vector<bool> came(count);
  size_t all = 0;
  char style = 0;
  std::string *open = nullptr;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = without_end(text.substr(at, end - at));
    at = end + 1;
    const auto mark = marked(line);
    if (mark && (style == 0 || mark->style == style)) {
      style = mark->style;
      const size_t number = mark->number;
      if (number < 1 || number > count || came[number - 1]) return none;
      came[number - 1] = true;
      ++all;
      open = &answers[number - 1];
      *open = mark->text;
    } else if (line.empty() || line.starts_with("```")) {
      open = nullptr;  // What follows is a remark: no cue has a blank line or a fence.
    } else if (open) {
      *open += (open->empty() ? "" : "\n") + std::string(line);
    }
  }
  return all == count ? answers : none;
}

std::string without_number(std::string_view line, size_t number) {
  const auto mark = marked(line);
  return std::string(mark && mark->number == number ? mark->text : line);
}

}  // namespace genclip
