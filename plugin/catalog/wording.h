// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How error texts quote and list things.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"

namespace genclip {

// The text in quotation marks, shortened, and safe to print whatever its bytes are.
std::string quoted(std::string_view text);
// A value in words: a string is quoted, a list or an object is only named, anything else is JSON.
std::string shown(const Json &value);
// "a, b or c".
std::string either(const std::vector<std::string> &names);
// "a, b and c".
std::string both(const std::vector<std::string> &names);
// A row of a table in Markdown.
std::string markdown_row(const std::vector<std::string> &cells);
// Appends a part, after "; " where there is text before it. Ignores an empty part.
void append_part(std::string &text, std::string_view part);

}  // namespace genclip
