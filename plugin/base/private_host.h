// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which hosts of URLs are those of one machine or one network. By their look; no name server is asked.
#pragma once

#include <optional>
#include <string>

namespace genclip {

// Of an IP address, whether the public network has it. Nothing: it is a name.
std::optional<bool> is_public_literal(const std::string &host);

// Surely only this machine or this network knows it: an IP address such as 127.0.0.1, 192.168.1.5 or ::1, or
// localhost. Any other name may be known elsewhere.
bool is_private_host(const std::string &host);

}  // namespace genclip
