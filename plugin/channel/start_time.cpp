// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/start_time.h"

#include <glib.h>

#include <memory>
#include <string>

namespace genclip {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDay = std::chrono::hours(24);

struct Unref {
  void operator()(GDateTime *time) const { g_date_time_unref(time); }
};
using DateTime = std::unique_ptr<GDateTime, Unref>;

// Reads two digits.
std::optional<int> take_two(std::string_view &text) {
  if (text.size() < 2 || !g_ascii_isdigit(text[0]) || !g_ascii_isdigit(text[1])) return std::nullopt;
  const int value = (text[0] - '0') * 10 + (text[1] - '0');
  text.remove_prefix(2);
  return value;
}

// ".5" are 500 ms. What is finer is cut off.
std::optional<milliseconds> fraction(std::string_view text) {
  if (text.size() < 2 || text[0] != '.') return std::nullopt;
  int value = 0;
  int unit = 100;
  for (const char c : text.substr(1)) {
    if (!g_ascii_isdigit(c)) return std::nullopt;
    value += (c - '0') * unit;
    unit /= 10;
  }
  return milliseconds(value);
}

std::optional<milliseconds> time_of_day(std::string_view text) {
  const auto hours = take_two(text);
  if (!hours || *hours > 23 || !text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  const auto minutes = take_two(text);
  if (!minutes || *minutes > 59) return std::nullopt;
  milliseconds time = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  if (text.empty()) return time;
  if (!text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  const auto seconds = take_two(text);
  if (!seconds || *seconds > 59) return std::nullopt;
  time += std::chrono::seconds(*seconds);
  if (text.empty()) return time;
  const auto rest = fraction(text);
  if (!rest) return std::nullopt;
  return time + *rest;
}

// GLib also reads other forms of ISO 8601, which are not RFC 3339.
bool looks_like_rfc3339(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (text.size() <= kForm.size() || text.size() > 64) return false;
  for (size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] == 'd' ? !g_ascii_isdigit(text[i]) : g_ascii_toupper(text[i]) != kForm[i]) return false;
  const char last = text.back();
  return last == 'Z' || last == 'z' || (text.size() > 6 && text[text.size() - 3] == ':');
}

}  // namespace

std::optional<StartTime> start_time(std::string_view text) {
  if (const auto of_day = time_of_day(text)) return StartTime{std::nullopt, *of_day};
  if (!looks_like_rfc3339(text)) return std::nullopt;
  std::string upper(text);
  for (char &c : upper) c = g_ascii_toupper(c);
  const DateTime time(g_date_time_new_from_iso8601(upper.c_str(), nullptr));
  if (!time || g_date_time_get_year(time.get()) < 1970 || g_date_time_get_year(time.get()) > 2199)
    return std::nullopt;
  const milliseconds since_epoch = std::chrono::seconds(g_date_time_to_unix(time.get())) +
                                   milliseconds(g_date_time_get_microsecond(time.get()) / 1000);
  return StartTime{Clock::WallTime(since_epoch), milliseconds(0)};
}

std::optional<Clock::WallTime> next_start(const StartTime &time, Clock::WallTime behind) {
  if (time.moment) return *time.moment > behind ? time.moment : std::nullopt;
  const auto now = std::chrono::floor<std::chrono::seconds>(behind.time_since_epoch());
  const DateTime today(g_date_time_new_from_unix_local(now.count()));
  if (!today || time.of_day < milliseconds(0) || time.of_day >= kDay) return std::nullopt;
  const std::chrono::hh_mm_ss clock(time.of_day);
  // From the day before: a time near midnight that clocks put forward may have moved to the next day.
  for (int days = -1; days <= 2; ++days) {
    const DateTime day(g_date_time_add_days(today.get(), days));
    if (!day) return std::nullopt;
    const DateTime start(g_date_time_new_local(
        g_date_time_get_year(day.get()), g_date_time_get_month(day.get()),
        g_date_time_get_day_of_month(day.get()), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<double>(clock.seconds().count())));
    if (!start) return std::nullopt;
    const Clock::WallTime moment(std::chrono::seconds(g_date_time_to_unix(start.get())) + clock.subseconds());
    if (moment > behind) return moment;
  }
  return std::nullopt;
}

}  // namespace genclip
