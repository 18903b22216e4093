// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The start times of a place.
#pragma once

#include "plugin/channel/schedule.h"

namespace genclip {

// In the order of time.
void add_start(Place &place, TimedStart start);
// That item has none to come, and has had so many.
void note_starts_over(Place &place, const std::string &id, uint64_t count);
// By which an item's take and status go when its place in the order comes in that turn: in a rundown that
// ends, one with a start time to come counts its start times there too.
uint64_t turn_of(const Place &place, const RundownItem &item, bool loop, uint64_t turn);
// Of a rundown that ends: what lies before the place does not come any more.
void drop_starts_before(const Rundown &rundown, Place &place);

}  // namespace genclip
