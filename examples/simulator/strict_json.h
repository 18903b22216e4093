// SPDX-License-Identifier: LGPL-2.1-or-later
//
// JSON by the letter of RFC 8259: what a client sends must be right, not nearly right.
#pragma once

#include <string_view>

#include "plugin/base/json.h"

namespace genclip::sim {

// No comments, no trailing commas, no repeated keys, no invalid UTF-8, nothing after the value.
Result<Json> parse_strictly(std::string_view text);

}  // namespace genclip::sim
