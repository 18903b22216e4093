// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Points in time as files and programs read them, and the days and months that budgets count by: all in UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace genclip {

using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;
using UtcDay = std::chrono::sys_days;

// RFC 3339 with milliseconds: "2026-11-22T09:50:06.123Z". Years 1970 to 9999.
std::string utc_text(UtcTime time);
std::string utc_text(std::chrono::system_clock::time_point time);
// Reads that, and the same without a fraction or with a longer one, of which milliseconds are kept. Nothing
// when it is not such a time.
std::optional<UtcTime> utc_time(std::string_view text);

// For people: "2026-11-22 09:50 UTC".
std::string minute_text(UtcTime time);

// "2026-11-22", and back.
std::string day_text(UtcDay day);
std::optional<UtcDay> utc_day(std::string_view text);

UtcTime to_utc(std::chrono::system_clock::time_point time);
UtcDay day_of(UtcTime time);
// The first day of the month, and of the next one.
UtcDay month_of(UtcDay day);
UtcDay next_month(UtcDay day);

}  // namespace genclip
