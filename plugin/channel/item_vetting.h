// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the vetting of an item's media is asked for, and what its answer means for the item. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "plugin/channel/planned_wish.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/vetter.h"

namespace genclip {

// `expected`: the length of a clip that the service told; nothing: unknown.
VettingRequest vetting_request(const PlannedWish &wish, const std::string &uri,
                               std::optional<std::chrono::nanoseconds> expected,
                               const PreparerSettings &settings);

// Why the item cannot be shown; empty: it can. `key` is not told.
std::string media_fault(const PlannedWish &wish, const Result<VettedMedia> &vetted, const std::string &key);

// Whether the same media may be fit later.
bool media_may_pass(const PlannedWish &wish, const Result<VettedMedia> &vetted);

// What is shown of media that are fit.
void describe(ReadyMedia &media, const PlannedWish &wish, const VettedMedia &vetted);

}  // namespace genclip
