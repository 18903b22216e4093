// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes any bytes safe for json-glib 1.6, which recurses without limit, wraps large integers and gives up on
// half surrogate pairs.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

struct Tidying {
  bool keeps_characters = false;
  bool keeps_numbers = false;
  bool names_lines = false;
};

struct TidyJson {
  std::string text;
  // What would be another value there, as a sentence: JSON, but no value of this program. Empty: nothing.
  std::string other;
};

// The same document with lines kept, and with
// - invalid UTF-8, NULs, half surrogate pairs and broken \u escapes as U+FFFD,
// - other escapes that JSON does not know as the character they escape,
// - numbers that it would read as others, or that are no JSON (integers outside 64 bits, 010, 0x10, 1e999,
//   1e-999, .5), as strings,
// - NaN, Infinity and -Infinity as null, unless with `keeps_characters`.
// Fails, and says why, when the document nests deeper than `max_depth`, holds too many values, or when
// something follows it.
// With `keeps_characters`, it fails also for what json-glib reads and JSON has not: bytes that are not UTF-8,
// single quotes, comments, words and escapes; and tells NULs and half surrogate pairs as `other`. With
// `keeps_numbers`, it fails for numbers that are no JSON, and tells those out of range as `other`.
Result<TidyJson> tidy_json(std::string_view text, int max_depth, Tidying tidying = {});

}  // namespace genclip
