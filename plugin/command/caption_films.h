// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions the films of genclip caption one after another, and writes their files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/command/caption_options.h"
#include "plugin/command/caption_plan.h"
#include "plugin/film/film_progress.h"

namespace genclip {

struct FilmsRun {
  bool json = false;
  bool quiet = false;
};

// A film as JSON, without what became of it.
Json film_json(const FilmJob &job, std::string_view status);

// Whether the file could be written: what is asked until then is paid. Makes the temporary file that
// the run would make, and removes it.
Result<void> try_to_write(const std::string &path, bool is_copy);

// Returns the exit code. `languages`: of the tracks.
int caption_films(const std::vector<FilmJob> &jobs, const std::vector<std::string> &languages,
                  const FilmCaptionOptions &options, const FilmsRun &run);

}  // namespace genclip
