// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Replaces one string by another, wherever it occurs.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Takes time in proportion to the length of any text. `from` must not be empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace genclip
