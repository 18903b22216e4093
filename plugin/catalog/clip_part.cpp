// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/clip_part.h"

#include <cmath>

#include "plugin/base/number.h"

namespace genclip {
namespace {

constexpr std::string_view kTime = "t=";
constexpr double kLatest = 86'400;  // No clip lasts a day.

// Digits, or digits, a point and digits.
bool is_decimal(std::string_view text) {
  const size_t point = text.find('.');
  const auto is_digits = [](std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  };
  return is_digits(text.substr(0, point)) && (point == text.npos || is_digits(text.substr(point + 1)));
}

}  // namespace

std::optional<ClipPart> clip_part(std::string_view fragment) {
  constexpr auto kFirst = std::chrono::nanoseconds::zero();
  if (fragment.empty()) return ClipPart{};
  if (fragment == "last") return ClipPart{true, std::nullopt, "last"};
  if (fragment == "first") return ClipPart{true, kFirst, "first"};
  if (!fragment.starts_with(kTime)) return std::nullopt;
  fragment.remove_prefix(kTime.size());
  const auto seconds = is_decimal(fragment) ? parse_number<double>(fragment) : std::nullopt;
  if (!seconds || *seconds > kLatest) return std::nullopt;
  const std::chrono::milliseconds time(std::llround(*seconds * 1000));
  if (time == kFirst) return ClipPart{true, kFirst, "first"};
  return ClipPart{true, time, std::string(kTime) + rounded_text(static_cast<double>(time.count()) / 1000, 3)};
}

}  // namespace genclip
