// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the text file that a command is given, or standard input.
#pragma once

#include <cstddef>
#include <string>

#include "plugin/base/result.h"

namespace genclip {

// Bytes; a larger file is refused.
inline constexpr size_t kMaxInputBytes = size_t{64} << 20;

// All of it; "-" is standard input. Blocks for the disk, or for whoever writes into the pipe.
Result<std::string> read_input(const std::string &path);

}  // namespace genclip
