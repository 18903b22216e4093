// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What captions of films take, without a request.
#pragma once

#include <vector>

#include "plugin/command/caption_films.h"
#include "plugin/command/caption_options.h"
#include "plugin/command/caption_plan.h"

namespace genclip {

// Looks at each film's container and at the ledger. Returns the exit code.
int estimate_films(const std::vector<FilmJob> &jobs, const FilmCaptionOptions &options, const FilmsRun &run);

}  // namespace genclip
