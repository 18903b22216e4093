// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How error texts quote and list things.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"

namespace genclip {

// In quotation marks, shortened, safe to print whatever the bytes are.
std::string quoted(std::string_view text);
// A value as the user knows it: quoted when it is a string, else as JSON.
std::string shown(const Json &value);
// "a, b or c".
std::string either(const std::vector<std::string> &names);
// "a, b and c".
std::string both(const std::vector<std::string> &names);
// "1 item", "3 items".
std::string counted(int64_t count, std::string_view noun);
// Adds a part after "; "; an empty one not at all.
void append_part(std::string &text, std::string_view part);

}  // namespace genclip
