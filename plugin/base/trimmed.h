// SPDX-License-Identifier: LGPL-2.1-or-later
//
// g_strstrip() for a view, which has no NUL at its end and is not copied.
#pragma once

#include <string_view>

namespace genclip {

// Without the ASCII blanks at both ends.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Without the full stop at its end, for a text that more of the sentence follows.
constexpr std::string_view without_full_stop(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

// Without the mark with which some editors begin a file in UTF-8.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace genclip
