// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Looks at what the store knows of an item's clip, so that what is stored is ready at once and needs no
// money.
#pragma once

#include <set>
#include <string>
#include <variant>

#include "plugin/channel/preparation_plan.h"
#include "plugin/generation/clip_plan.h"

namespace genclip {

bool is_clip_uri(const std::string &uri);

// The plan of that URI's clip, in that take; the URI's own take is the first one. The error says what is
// wrong with the request, or with the settings.
Result<ClipPlan> plan_item(const std::string &uri, unsigned take, const RunSettings &run);

// What a clip's URI asks for, in one spelling and without its take; another URI as it is.
std::string request_of_uri(const std::string &uri);

// The take that a URI itself names; 0: none, or it is another URI.
unsigned take_of_uri(const std::string &uri);

// Reads the store and the files that the request refers to; fetches what it refers to if settings identify
// that by its content. Takes that are not fit are no stand-ins, and none that is missing is looked for. Never
// submits. Blocks.
Survey survey_item(const PlannedWish &wish, const std::set<unsigned> &unfit_takes,
                   const MissingTakes &missing_takes, const RunSettings &run,
                   const GenerationServices &services, GCancellable *cancellable);

}  // namespace genclip
