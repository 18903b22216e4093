// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/record_name.h"

#include <algorithm>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"

namespace genclip {
namespace {

using std::chrono::seconds;

constexpr std::string_view kRecordPrefix = "genclip-";
constexpr std::string_view kRecordSuffix = ".mkv";
// A digit for each 0; "+" may be "-".
constexpr std::string_view kTimeShape = "00000000T000000+0000";
constexpr int kLastMinute = 24 * 60;

GRef<GDateTime> local(RecordTime time, GTimeZone *zone) {
  const auto utc =
      GRef<GDateTime>::adopt(g_date_time_new_from_unix_utc(std::chrono::system_clock::to_time_t(time)));
  return GRef<GDateTime>::adopt(g_date_time_to_timezone(utc.get(), zone));
}

// The digits at that place.
int number_at(std::string_view text, size_t at, size_t size) {
  return parse_number<int>(text.substr(at, size)).value_or(-1);
}

bool has_form(std::string_view text) {
  if (text.size() != kTimeShape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kTimeShape[i] == '0' && !g_ascii_isdigit(text[i])) return false;
    if (kTimeShape[i] == 'T' && text[i] != 'T') return false;
    if (kTimeShape[i] == '+' && text[i] != '+' && text[i] != '-') return false;
  }
  return true;
}

}  // namespace

std::string record_name(RecordTime begun, GTimeZone *zone, unsigned copy) {
  const auto time = local(begun, zone);
  const GStringPtr text(g_date_time_format(time.get(), "%Y%m%dT%H%M%S%z"));
  return std::string(kRecordPrefix) + text.get() + (copy > 1 ? "-" + std::to_string(copy) : "") +
         std::string(kRecordSuffix);
}

std::optional<RecordTime> record_begin(std::string_view name) {
  if (!name.starts_with(kRecordPrefix) || !name.ends_with(kRecordSuffix)) return std::nullopt;
  if (name.size() < kRecordPrefix.size() + kTimeShape.size() + kRecordSuffix.size()) return std::nullopt;
  name.remove_prefix(kRecordPrefix.size());
  name.remove_suffix(kRecordSuffix.size());
  const auto time = name.substr(0, kTimeShape.size());
  if (const auto copy = name.substr(kTimeShape.size()); !copy.empty()) {
    const auto number = copy.front() == '-' ? parse_number<unsigned>(copy.substr(1)) : std::nullopt;
    if (!number || *number < 2 || copy[1] == '0') return std::nullopt;
  }
  if (!has_form(time)) return std::nullopt;
  const auto utc = GRef<GDateTime>::adopt(
      g_date_time_new_utc(number_at(time, 0, 4), number_at(time, 4, 2), number_at(time, 6, 2),
                          number_at(time, 9, 2), number_at(time, 11, 2), number_at(time, 13, 2)));
  if (!utc) return std::nullopt;
  const int distance = number_at(time, 16, 2) * 60 + number_at(time, 18, 2);
  return std::chrono::system_clock::time_point(std::chrono::seconds(g_date_time_to_unix(utc.get()))) -
         std::chrono::minutes(time[15] == '-' ? -distance : distance);
}

bool record_expired(std::string_view name, RecordTime now, unsigned keep_days) {
  const auto begun = record_begin(name);
  // In nanoseconds, three centuries would already overflow.
  using Days = std::chrono::duration<double, std::ratio<86400>>;
  return keep_days > 0 && begun && Days(now - *begun).count() > keep_days;
}

std::chrono::nanoseconds until_next_record(RecordTime now, GTimeZone *zone, unsigned minutes) {
  const auto time = local(now, zone);
  const int step = static_cast<int>(minutes);
  const int past = g_date_time_get_hour(time.get()) * 60 + g_date_time_get_minute(time.get());
  const int next = std::min((past / step + 1) * step, kLastMinute);
  // By local time's distance: a day on which the clock changes is cut once at another length, and then right
  // again.
  const auto since_midnight = std::chrono::minutes(past) + seconds(g_date_time_get_second(time.get()));
  const auto fraction = now.time_since_epoch() - std::chrono::floor<seconds>(now.time_since_epoch());
  return std::chrono::minutes(next) - since_midnight - fraction;
}

}  // namespace genclip
