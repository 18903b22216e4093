// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What can be the ID of a task. Services choose their IDs freely, so only what surely is something else is
// refused.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Why the text can be no ID of a task, as a sentence for its user; empty: it may be one.
std::string task_id_problem(std::string_view text);

}  // namespace genclip
