// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a generation ended, as programs read it (docs/command.md).
#pragma once

#include <optional>
#include <string_view>

#include "plugin/base/json.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/core/run_ending.h"
#include "plugin/generation/clip_status.h"

namespace genclip {

// Of a run that did not fail: it is over, or was stopped.
RunEnding ending_of_state(const GenerationState &state);

// The run that failed with this may have been charged for, and nobody knows.
bool may_be_paid(const Error &error);
// The run's own task failed, and has cost something. Not so if only the clips that it begins with were paid:
// they are stored.
bool has_failed_at_a_cost(const Error &error);
// Its task was not done when the run ended, and goes on at the service.
bool is_under_way(const Error &error);

// Of a clip that is stored, and that could not be written where the user wants it.
Error not_written(Error error, const GenerationState &state);

// `status`: "completed", "stopped", "pending".
Json state_json(const GenerationState &state, std::string_view status);
Json failure_json(const Error &error, const std::optional<ClipRequest> &request);

}  // namespace genclip
