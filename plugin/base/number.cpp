// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/number.h"

#include <array>

namespace genclip {

std::string number_text(double value) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr};
}

std::string rounded_text(double value, int decimals) {
  std::array<char, 340> digits;  // The largest double has 309 before its point.
  const auto format = std::chars_format::fixed;
  std::string text(digits.data(), std::to_chars(digits.begin(), digits.end(), value, format, decimals).ptr);
  if (text.find('.') != text.npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace genclip
