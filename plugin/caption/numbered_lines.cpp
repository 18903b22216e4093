// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/numbered_lines.h"

#include <glib.h>

#include <algorithm>
#include <optional>

#include "plugin/base/number.h"

namespace genclip {
namespace {

struct Marked {
  gunichar style = 0;  // its opening bracket, else the character behind the number
  size_t number = 0;
  std::string_view text;
};

constexpr struct {
  gunichar opening, closing;
} kBrackets[] = {{'[', ']'}, {'(', ')'}, {0xFF3B, 0xFF3D}, {0xFF08, 0xFF09}, {0x3010, 0x3011}};
constexpr std::u32string_view kBehindBare = U".):|\u3001\uFF0E\uFF09\uFF1A\uFF5C";
constexpr std::u32string_view kNumberBlanks = U" \t\u00A0\u3000";
// Emphasis and lists of markdown, and what sets the direction of a text.
constexpr std::u32string_view kInFront =
    U" \t\u00A0\u3000*-_>#\u200E\u200F\u061C\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069";
constexpr std::u32string_view kBehind = U"*_\u200E\u200F\u061C\u202C\u2069";

bool is_in(gunichar c, std::u32string_view set) { return set.find(c) != set.npos; }

// 0: there is none, or it is not UTF-8.
gunichar first_in(std::string_view text) {
  if (text.empty()) return 0;
  const gunichar c = g_utf8_get_char_validated(text.data(), static_cast<gssize>(text.size()));
  return g_unichar_validate(c) ? c : 0;
}

void drop_first(std::string_view &text) {
  text.remove_prefix(static_cast<size_t>(g_unichar_to_utf8(first_in(text), nullptr)));
}

void skip(std::string_view &text, std::u32string_view set) {
  while (is_in(first_in(text), set)) drop_first(text);
}

// In ASCII.
std::string take_digits(std::string_view &text) {
  std::string digits;
  for (; g_unichar_isdigit(first_in(text)); drop_first(text))
    digits += static_cast<char>('0' + g_unichar_digit_value(first_in(text)));
  return digits;
}

// What follows a number without brackets. 1.5 and 10:30 are of the text. Chinese and Japanese have no blanks.
bool may_follow(gunichar next, gunichar closing) {
  if (next == 0 || is_in(next, kNumberBlanks)) return true;
  return !g_unichar_isdigit(next) && (g_unichar_iswide(next) || g_unichar_iswide(closing));
}

// A number at the start of the line, maybe in bold or in a list.
std::optional<Marked> marked(std::string_view line) {
  skip(line, kInFront);
  gunichar style = first_in(line), closing = 0;
  for (const auto &brackets : kBrackets)
    if (brackets.opening == style) closing = brackets.closing;
  const bool is_bare = closing == 0;
  if (!is_bare) drop_first(line);
  const std::string digits = take_digits(line);
  if (is_bare) style = closing = first_in(line);
  if (digits.empty() || closing == 0 || first_in(line) != closing) return std::nullopt;
  if (is_bare && !is_in(closing, kBehindBare)) return std::nullopt;
  drop_first(line);
  skip(line, kBehind);
  if (is_bare && !may_follow(first_in(line), closing)) return std::nullopt;
  skip(line, kNumberBlanks);
  // A number that is too large is one that nobody asked for.
  return Marked{style, parse_number<size_t>(digits).value_or(0), line};
}

std::string_view without_end(std::string_view line) {
  while (!line.empty() && g_ascii_isspace(line.back())) line.remove_suffix(1);
  return line;
}

// A rule of markdown, which is of no cue.
bool is_rule(std::string_view line) {
  return line.find_first_not_of("-*_=~ \t") == line.npos &&
         std::ranges::count_if(line, [](char c) { return c != ' ' && c != '\t'; }) >= 3;
}

// A heading of markdown, and not a line of a song or a hashtag.
bool is_heading(std::string_view line) {
  const size_t text = line.find_first_not_of('#');
  return text > 0 && text != line.npos && line[text] == ' ' && !line.ends_with('#');
}

void add_line(std::string &text, std::string_view line) {
  text += (text.empty() ? "" : "\n") + std::string(line);
}

}  // namespace

std::vector<std::string> read_numbered_lines(std::string_view text, size_t count) {
  std::vector<std::string> none(count);
  std::vector<std::string> answers(count);
  std::vector<bool> came(count);
  size_t all = 0;
  gunichar style = 0;
  std::string *open = nullptr;
  // Behind a blank line: more of the cue if another number follows, or if another text is below a blank line,
  // too; else a remark.
  std::string held;
  bool is_held = false, are_below = false;
  const auto end_cue = [&](bool is_followed) {
    if (open && !held.empty() && (is_followed || (open->empty() && are_below))) {
      are_below = are_below || open->empty();
      add_line(*open, held);
    }
    held.clear();
    is_held = false;
  };
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
      end_cue(true);
      open = &answers[number - 1];
      *open = mark->text;
    } else if (line.starts_with("```")) {
      end_cue(false);
      open = nullptr;  // What follows is a remark: no cue has a fence.
    } else if (line.empty()) {
      is_held = true;
    } else if (open && !is_rule(line) && !(is_held && !open->empty() && is_heading(line))) {
      add_line(is_held ? held : *open, line);
    }
  }
  end_cue(false);
  return all == count ? answers : none;
}

std::string without_number(std::string_view line, size_t number) {
  const auto mark = marked(line);
  return std::string(mark && mark->number == number ? mark->text : line);
}

}  // namespace genclip
