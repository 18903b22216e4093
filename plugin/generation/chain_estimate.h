// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a request will cost, with all the clips that it is made of.
#pragma once

#include <optional>
#include <vector>

#include "plugin/account/decision.h"
#include "plugin/account/estimate.h"
#include "plugin/generation/request_identity.h"

namespace genclip {

// The costs of this clip, and of the clips before it that have neither a clip nor a task yet. Nothing: the
// cost of one of them is unknown, or the ledger cannot be read. Blocks for the disk; writes nothing.
std::optional<Estimate> estimate_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services);
// The same, of a request that was not identified yet. It uses no network.
std::optional<Estimate> estimate_of(const GenerationJob &job, const GenerationServices &services);

// Whether a limit of one clip (0: none) refuses that estimate.
Decision decide_limit(double max_amount, const std::optional<Estimate> &estimate,
                      const GenerationServices &services);

// All together. `estimates` has one at least. The result rests on the weakest of them.
Estimate sum_of(const std::vector<Estimate> &estimates);

}  // namespace genclip
