// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When an item with a start time (`at`) starts.
#pragma once

#include <optional>
#include <string_view>

#include "plugin/channel/rundown.h"

namespace genclip {

// "HH:MM[:SS[.mmm]]", a time of each day in the local time zone, or RFC 3339 of the years 1970 to 2199.
// Nothing for any other text.
std::optional<StartTime> start_time(std::string_view text);

// The first moment behind `behind` at which it starts; nothing: there is none any more. A time of day that a
// day lacks, because clocks are put forward, comes when they are. Of a day that has it twice, the second one
// counts.
std::optional<Clock::WallTime> next_start(const StartTime &time, Clock::WallTime behind);

}  // namespace genclip
