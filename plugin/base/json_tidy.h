// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes any bytes safe for json-glib 1.6, which recurses without limit, wraps large integers and gives up on
// half surrogate pairs.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

// The same document with invalid UTF-8, NULs and half surrogate pairs as U+FFFD, integers outside 64 bits as
// strings of their digits, and lines kept. The error says what is wrong with it.
Result<std::string> tidy_json(std::string_view text, int max_depth);

}  // namespace genclip
