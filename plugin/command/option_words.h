// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The code that the elements share with this program names a setting as their users do: "Check task-id, or
// unset it." A user of this program has typed --task-id.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace genclip {

// The options of the command that this process runs, without "--". Called once, before any text is shown.
void name_options(std::vector<std::string> names);

// The text with each setting that this command has an option for named as that option.
std::string with_options(std::string_view text);

}  // namespace genclip
