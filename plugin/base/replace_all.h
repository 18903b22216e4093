// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One string for another, wherever it stands.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Takes time in proportion to the text, whoever wrote it. `from` must not be empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace genclip
