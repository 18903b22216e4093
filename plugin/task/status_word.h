// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The words by which services name the state of a task.
#pragma once

#include <string_view>

#include "plugin/task/task.h"

namespace genclip {

// Reads a status word or a synonym, in any case and with any separators.
TaskStatus read_status(std::string_view word);

// True for a text that a call may say of itself: "success", "OK" or "Request successful". "completed" and
// "done" are a task's.
bool may_be_the_calls(std::string_view text);

// True for a text that only says that all is well, such as "SUCCEED" or "Request successful". It does not
// explain a failure.
bool means_success(std::string_view text);

// True for a text that stands for nothing, such as a null that was printed: "None", "N/A", "-".
bool means_nothing(std::string_view text);

}  // namespace genclip
