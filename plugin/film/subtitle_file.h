// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cues of a file of subtitles.
#pragma once

#include <functional>
#include <string>

#include "plugin/base/result.h"
#include "plugin/film/subtitle_reader.h"

namespace genclip {

// As read_subtitles(), or `cancelled`. Reads all of it, in the default main context. `is_stopped` is asked
// whenever that has woken; null: never.
Result<Subtitles> load_subtitles(const std::string &uri, const std::function<bool()> &is_stopped = nullptr);

}  // namespace genclip
