// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/amounts.h"

#include <glib.h>

#include <algorithm>
#include <cmath>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"

namespace genclip {
namespace {

constexpr std::string_view kPrefixes = "KMGT";

std::string formatted(const char *format, double value) {
  char buffer[64];
  // With a decimal point in every locale, so that the user can type "1.5" back.
  return g_ascii_formatd(buffer, sizeof buffer, format, value);
}

// Takes the date; nothing when there is none, as of a time that no calendar has.
std::string formatted_date(GDateTime *date, const char *format) {
  if (!date) return {};
  const GStringPtr text(g_date_time_format(date, format));
  g_date_time_unref(date);
  return text ? text.get() : "";
}

std::string counted_unit(int64_t count, const char *one, const char *many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string size_text(uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  // What rounds to 1000 belongs to the next unit.
  for (; value >= 999.5 && unit + 1 < kPrefixes.size(); value /= 1000) ++unit;
  const char prefix = unit == 0 ? 'k' : kPrefixes[unit];
  return formatted(value < 9.95 ? "%.1f" : "%.0f", value) + " " + prefix + "B";
}

std::optional<uint64_t> bytes_of(std::string_view text) {
  // Without an exponent.
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = parse_number<double>(text.substr(0, digits));
  if (!number) return std::nullopt;
  double value = *number;
  text.remove_prefix(digits);
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.ends_with('B') || text.ends_with('b')) text.remove_suffix(1);
  double base = 1000;
  if (text.ends_with('i')) {
    base = 1024;
    text.remove_suffix(1);
    if (text.empty()) return std::nullopt;
  }
  if (text.size() > 1) return std::nullopt;
  if (!text.empty()) {
    const size_t unit = kPrefixes.find(g_ascii_toupper(text[0]));
    if (unit == kPrefixes.npos) return std::nullopt;
    value *= std::pow(base, static_cast<double>(unit + 1));
  }
  if (value >= 0x1p63) return std::nullopt;
  return static_cast<uint64_t>(value);
}

std::string age_text(int64_t since, int64_t now) {
  if (since <= 0) return {};
  const int64_t seconds = std::max<int64_t>(now - since, 0);
  if (seconds < 60) return counted_unit(seconds, "s", "s");
  if (seconds < 3600) return counted_unit(seconds / 60, "min", "min");
  if (seconds < 86400) return counted_unit(seconds / 3600, "h", "h");
  return counted_unit(seconds / 86400, "day", "days");
}

std::string clock_text(int64_t seconds) {
  const auto two_digits = [](int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const std::string tail = two_digits(seconds % 60);
  if (seconds < 3600) return std::to_string(seconds / 60) + ":" + tail;
  return std::to_string(seconds / 3600) + ":" + two_digits(seconds / 60 % 60) + ":" + tail;
}

std::string date_text(int64_t time) {
  return time <= 0 ? "" : formatted_date(g_date_time_new_from_unix_local(time), "%Y-%m-%d %H:%M:%S");
}

std::string utc_text(int64_t time) {
  return time <= 0 ? "" : formatted_date(g_date_time_new_from_unix_utc(time), "%Y-%m-%dT%H:%M:%SZ");
}

bool lacks_unit(std::string_view text, uint64_t bytes) {
  constexpr uint64_t kLeastBareSize = 1 << 20;
  return bytes < kLeastBareSize && text != "0" && !g_ascii_isalpha(text.back());
}

}  // namespace genclip
