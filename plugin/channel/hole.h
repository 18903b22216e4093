// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What fills a hole in a rundown.
#pragma once

#include "plugin/channel/schedule.h"

namespace genclip {

// True for a status that comes with media to be shown now.
bool can_be_shown(const ItemStatus &status);
// How long media are shown: at least one frame.
uint64_t frames_of(const ScheduleSettings &settings, const ReadyMedia &media);

// A piece of fallback, or the slate, from `frame` on: the rundown's fallbacks and then what has aired, in
// turns, but not the source that is on the air if there is another.
Piece piece_for_hole(const Rundown &rundown, const Place &place, const Shelf &shelf,
                     const ScheduleSettings &settings, const Piece &on_air, uint64_t frame);

}  // namespace genclip
