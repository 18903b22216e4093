// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Numbers as texts, with a decimal point in every locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace genclip {

// As take_number<double>, which every library of C++ has for whole numbers only.
std::optional<double> take_double(std::string_view &text);

// Reads the longest number that `text` begins with, and leaves the rest in `text`. Accepts neither a blank
// nor a "+" before the number. Nothing, and `text` stays as it was, when there is no number, or when it is
// not finite or too large for this type.
template <typename Number>
std::optional<Number> take_number(std::string_view &text) {
  if constexpr (std::is_floating_point_v<Number>) {
    static_assert(std::is_same_v<Number, double>);
    return take_double(text);
  } else {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
  }
}

// The same, where nothing may follow the number.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  const auto value = take_number<Number>(text);
  return text.empty() ? value : std::nullopt;
}

// The fewest digits that read back as the same value.
std::string number_text(double value);

// With at most so many decimals (9 or fewer), and no zeros at the end of them.
std::string rounded_text(double value, int decimals);

// The number with its noun: "1 credit", "2.5 credits".
std::string counted(std::string_view number, std::string_view noun);
std::string counted(int64_t count, std::string_view noun);

}  // namespace genclip
