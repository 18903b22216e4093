// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Compares names that services spell as task_status, taskStatus or Task-Status.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// In lower case (ASCII), without "_", "-" and spaces.
std::string name_letters(std::string_view name);

}  // namespace genclip
