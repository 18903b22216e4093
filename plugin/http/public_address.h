// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether the public network can reach the host of a URL.
#pragma once

#include <string>

namespace genclip {

// By the look of its host; asks no name server. False for addresses and names that only one machine or one
// network knows (127.0.0.1, 10.0.0.7, localhost, printer.local, build-server), and without a host.
bool is_public_address(const std::string &url);

}  // namespace genclip
