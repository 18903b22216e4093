// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds the address of a completed task's clip (§2.1), in any of the ways in which services write it.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/json.h"

namespace genclip {

// The first address in `video_url`, `result_url` and `output`, each of which may be a text, an object that
// has an address under a usual name, or a list of these. Resolves a relative address against `base_url`
// (empty: ignores it). Empty when there is none; a text counts only if it is an http or https URL or looks
// like a path to a file.
std::string read_clip_url(const Json &task, std::string_view base_url);

}  // namespace genclip
