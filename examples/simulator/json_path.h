// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Places inside a JSON value, such as "task_result.videos[0].url".
#pragma once

#include <string_view>

#include "plugin/base/json.h"

namespace genclip::sim {

// Names with dots between them, each with any number of indices from 0 to 9 behind it.
bool is_json_path(std::string_view path);

// Puts `value` at that path, and replaces what stands in the way by objects and lists. `path` must pass
// is_json_path().
void set_at(Json &root, std::string_view path, Json value);

}  // namespace genclip::sim
