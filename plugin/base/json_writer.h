// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes Json as text that any reader takes: json-glib 1.6 writes 1e22 as "1e+22.0", which it cannot read
// back.
#pragma once

#include <string>

#include "plugin/base/json.h"

namespace genclip {

enum class JsonLayout { line, pretty };
enum class JsonOrder { kept, sorted };

// What is not finite becomes null, for JSON has no word for it. Strings must be UTF-8. The pretty layout is
// for people too: what no terminal should see is escaped in it.
std::string write_json(const Json &json, JsonLayout layout, JsonOrder order);

}  // namespace genclip
