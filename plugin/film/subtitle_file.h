// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cues of a file of subtitles.
#pragma once

#include <string>

#include "plugin/base/result.h"
#include "plugin/film/subtitle_reader.h"

namespace genclip {

// As read_subtitles(). Reads all of it, in the default main context.
Result<Subtitles> load_subtitles(const std::string &uri);

}  // namespace genclip
