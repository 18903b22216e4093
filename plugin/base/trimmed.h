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

}  // namespace genclip
