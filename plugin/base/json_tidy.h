// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes any bytes safe for json-glib 1.6, which recurses without limit, wraps large integers and gives up on
// half surrogate pairs.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

// The same document with lines kept, and with
// - invalid UTF-8, NULs, half surrogate pairs and broken \u escapes as U+FFFD,
// - other escapes that JSON does not know as the character they escape,
// - numbers that it would read as others, or that are no JSON (integers outside 64 bits, 010, 0x10, 1e999,
//   1e-999, .5), as strings,
// - NaN, Infinity and -Infinity as null, unless with `keeps_characters`.
// Fails, and says why, when the document nests deeper than `max_depth`, holds too many values, or when
// something follows it; and, with `keeps_characters`, where it would put in a U+FFFD, and for single
// quotes and comments; and, with `keeps_numbers`, where a number would become a string.
struct Tidying {
  bool keeps_characters = false;
  bool keeps_numbers = false;
};
Result<std::string> tidy_json(std::string_view text, int max_depth, Tidying tidying = {});

}  // namespace genclip
