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
// Of a rundown that ends: what lies before the place does not come any more.
void drop_starts_before(const Rundown &rundown, Place &place);

}  // namespace genclip
