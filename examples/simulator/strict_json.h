// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Parses JSON exactly as RFC 8259 defines it, so that a client's small mistakes are noticed.
#pragma once

#include <string_view>

#include "plugin/base/json.h"

namespace genclip::sim {

// No comments, no trailing commas, no repeated keys, no invalid UTF-8, nothing after the value.
Result<Json> parse_strictly(std::string_view text);

}  // namespace genclip::sim
