// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run has paid, with the clips that it had to make first.
#pragma once

#include <vector>

#include "plugin/base/error.h"
#include "plugin/core/run_ending.h"
#include "plugin/generation/clip_status.h"

namespace genclip {

// Credits, as far as they were told. A task that existed before this run is none that it has paid.
double paid_amount(const GenerationState &state);
// The tasks of that sum, those that were completed and whose cost was not told, and the one that is under
// way. If the run has failed, its error says whether that one goes on; else it costs nothing.
std::vector<PaidTask> paid_tasks(const GenerationState &state);

// As the error's details have it; `no`, if they say nothing.
Charged charged_of(const Error &error);

// The error of a run that has ended in that state, with what the run has paid: as the detail `amount`, if it
// is more than 0, and in words, if it is for the clips before the one that was asked for. The text of a run
// that was charged does not say that nothing was sent. An error that has an `amount` already stays as it is.
Error with_paid(Error error, const GenerationState &state);

}  // namespace genclip
