// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/number.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace genclip {
namespace {

size_t digits_of(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// Of the number that the text begins with, 0 when there is none. Neither "inf" nor a hexadecimal number,
// which strtod reads.
size_t length_of_number(std::string_view text) {
  size_t length = text.starts_with('-') ? 1 : 0;
  const size_t whole = digits_of(text.substr(length));
  length += whole;
  if (text.substr(length).starts_with('.')) {
    const size_t decimals = digits_of(text.substr(length + 1));
    if (whole == 0 && decimals == 0) return 0;
    length += 1 + decimals;
  } else if (whole == 0) {
    return 0;
  }
  const std::string_view rest = text.substr(length);
  if (!rest.starts_with('e') && !rest.starts_with('E')) return length;
  const size_t sign = rest.substr(1).starts_with('-') || rest.substr(1).starts_with('+') ? 1 : 0;
  const size_t exponent = digits_of(rest.substr(1 + sign));
  return exponent == 0 ? length : length + 1 + sign + exponent;
}

}  // namespace

std::optional<double> take_double(std::string_view &text) {
  const size_t length = length_of_number(text);
  if (length == 0) return std::nullopt;
  const double value = g_ascii_strtod(std::string(text.substr(0, length)).c_str(), nullptr);
  if (!std::isfinite(value)) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

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

std::string counted(std::string_view number, std::string_view noun) {
  return std::string(number) + " " + std::string(noun) + (number == "1" ? "" : "s");
}

std::string counted(int64_t count, std::string_view noun) { return counted(std::to_string(count), noun); }

}  // namespace genclip
