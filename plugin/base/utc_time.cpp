// SPDX-License-Identifier: LGPL-2.1-or-later
//
// By std::chrono's calendar. A ledger has hundreds of thousands of times: nothing here allocates to read one.
#include "plugin/base/utc_time.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace genclip {
namespace {

// The digits of `text` from `at`; -1 when one of them is none.
int digits(std::string_view text, size_t at, size_t count) {
  int value = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// "2026-11-22T09:50:06", then a fraction, then a Z.
constexpr size_t kDayLength = 10;
constexpr size_t kSecondsEnd = 19;

std::optional<std::chrono::milliseconds> fraction(std::string_view text) {
  if (text.empty()) return std::chrono::milliseconds(0);
  if (text.size() < 2 || text[0] != '.') return std::nullopt;
  int value = 0;
  for (size_t i = 1; i < std::max<size_t>(text.size(), 4); ++i) {
    const int digit = i < text.size() ? digits(text, i, 1) : 0;
    if (digit < 0) return std::nullopt;
    if (i < 4) value = value * 10 + digit;
  }
  return std::chrono::milliseconds(value);
}

}  // namespace

std::string minute_text(UtcTime time) {
  std::string text = utc_text(time).substr(0, std::string_view("2026-11-22T09:50").size());
  text[10] = ' ';
  return text + " UTC";
}

std::string day_text(UtcDay day) {
  const std::chrono::year_month_day date(day);
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

std::string utc_text(UtcTime time) {
  const UtcDay day = day_of(time);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[40];
  std::snprintf(text, sizeof text, "T%02d:%02d:%02d.%03dZ", static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return day_text(day) + text;
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  return utc_text(std::chrono::floor<std::chrono::milliseconds>(time));
}

std::optional<UtcDay> utc_day(std::string_view text) {
  if (text.size() != kDayLength || text[4] != '-' || text[7] != '-') return std::nullopt;
  const int y = digits(text, 0, 4), m = digits(text, 5, 2), d = digits(text, 8, 2);
  if (y < 1970 || m < 0 || d < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(y), std::chrono::month(static_cast<unsigned>(m)),
                                         std::chrono::day(static_cast<unsigned>(d))};
  if (!date.ok()) return std::nullopt;
  return UtcDay(date);
}

std::optional<UtcTime> utc_time(std::string_view text) {
  if (text.size() <= kSecondsEnd || text.back() != 'Z') return std::nullopt;
  if (text[kDayLength] != 'T' || text[13] != ':' || text[16] != ':') return std::nullopt;
  const auto date = utc_day(text.substr(0, kDayLength));
  const int h = digits(text, 11, 2), m = digits(text, 14, 2), s = digits(text, 17, 2);
  const auto ms = fraction(text.substr(kSecondsEnd, text.size() - kSecondsEnd - 1));
  if (!date || h < 0 || h > 23 || m < 0 || m > 59 || s < 0 || s > 59 || !ms) return std::nullopt;
  return UtcTime(*date) + std::chrono::hours(h) + std::chrono::minutes(m) + std::chrono::seconds(s) + *ms;
}

UtcTime to_utc(std::chrono::system_clock::time_point time) {
  return std::max(std::chrono::floor<std::chrono::milliseconds>(time), UtcTime(std::chrono::milliseconds(0)));
}

UtcDay day_of(UtcTime time) { return std::chrono::floor<std::chrono::days>(time); }

UtcDay month_of(UtcDay day) {
  const std::chrono::year_month_day date(day);
  return UtcDay(date.year() / date.month() / 1);
}

UtcDay next_month(UtcDay day) {
  const std::chrono::year_month_day date(day);
  return UtcDay((date.year() / date.month() + std::chrono::months(1)) / 1);
}

}  // namespace genclip
