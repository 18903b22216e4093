// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes Json as text that any reader takes: json-glib 1.6 writes 1e22 as "1e+22.0", which it cannot read
// back.
#pragma once

#include <string>

#include "plugin/base/json.h"

namespace genclip {

// For programs, for a person's terminal in one line, and for people.
enum class JsonLayout { line, shown_line, pretty };
enum class JsonOrder { kept, sorted };

// A number that is not finite becomes null, as JSON cannot say it. Strings must be UTF-8. What is shown
// also has escapes for what no terminal should see: all layouts but `line`.
std::string write_json(const Json &json, JsonLayout layout, JsonOrder order);

}  // namespace genclip
