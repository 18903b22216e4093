// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The secret that a person needs to control a channel.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

// 128 random bits in hexadecimal.
std::string new_control_token();

// Writes the token and a newline with mode 0600: a reader finds the old file or all of the new one. Refuses
// (ErrorKind::settings) to replace anything but a regular file, and so a symbolic link. Blocks for the disk.
Result<void> write_token_file(const std::string &path, const std::string &token);

// Whether an Authorization header is "Bearer TOKEN". Takes the same time for every wrong token of that
// length.
bool is_authorized(std::string_view authorization, std::string_view token);

}  // namespace genclip
