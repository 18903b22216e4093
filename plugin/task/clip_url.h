// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where the clip of a completed task is (§2.1), however the service writes it.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/json.h"

namespace genclip {

// The first address in `video_url`, `result_url` and `output`: a text, an object that has one under a usual
// name, or the first of a list. A relative one is resolved against `base_url` (empty: none is). Empty when
// there is none: what is no http or https URL, nor looks like a path to a file, is no address.
std::string read_clip_url(const Json &task, std::string_view base_url);

}  // namespace genclip
