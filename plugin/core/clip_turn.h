// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run does next with the journal that it has found, and what the journal says again when a task has
// brought no clip. Parts of react() (clip_run.h).
#pragma once

#include "plugin/core/clip_run.h"

namespace genclip {

// The step to take, with nothing else that follows; with the record to write before it.
Reaction next(ClipRun &&run, ClipStep step);
Reaction next_after_writing(ClipRun &&run, ClipStep step);

// By what was found, what the run was asked for, and whether another run has just ended.
Reaction plan(ClipRun &&run);
// The next of the tasks that may still bring the clip; after the last one, the request is submitted.
Reaction ask_or_submit(ClipRun &&run);
// The task that was asked for brings the clip, or may.
Reaction follow_unfetched(ClipRun &&run);

// Tasks of the request that are, or will be, paid, and that a run without the named task would follow or ask
// for. What the service has denied is not among them, unless it was completed.
std::vector<std::string> displaced_tasks(const ClipRun &run);

// The task that is followed was completed before, and its clip is not here.
bool was_completed(const ClipRun &run);

// A task that was asked for in vain was completed before, so it is paid.
bool is_undelivered(const ClipRun &run);

// The record when its task brings no clip.
ClipRecord standing(const ClipRun &run);
// Of a request whose folder is not there, while the ledger names what was paid.
ClipRecord record_of(const ClipRun &run, const OpenCharges &open);

}  // namespace genclip
