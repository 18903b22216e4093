// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The names of recordings, which hold when each began, and when the next one begins.
#pragma once

#include <glib.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace genclip {

using RecordTime = std::chrono::system_clock::time_point;

// "genclip-20261122T200000+0100.mkv": the local time with its distance to UTC, so that the hour in autumn
// that comes twice has two names. `copy` from 2 on: "genclip-20261122T200000+0100-2.mkv".
std::string record_name(RecordTime begun, GTimeZone *zone, unsigned copy = 1);

// When the file of that name began; nothing for a name that record_name() never makes.
std::optional<RecordTime> record_begin(std::string_view name);

// Whether it began more than `keep_days` before `now`. False for other names, and where keep_days is 0.
bool record_expired(std::string_view name, RecordTime now, unsigned keep_days);

// How long from `now` until the next multiple of `minutes` (1 to 1440) after local midnight. Always above 0.
std::chrono::nanoseconds until_next_record(RecordTime now, GTimeZone *zone, unsigned minutes);

}  // namespace genclip
