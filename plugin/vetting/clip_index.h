// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frames an MP4 or QuickTime file promises.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

// When they are displayed, in order. Nothing: it is another file, or its frames are in fragments. An error's
// text is a sentence; its kind is read if the end of the file is missing, and wrong_type if the index is
// damaged.
Result<std::optional<std::vector<std::chrono::nanoseconds>>> promised_frames(const std::string &path);

}  // namespace genclip
