// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Normalises a service's address, so that two spellings of it count as one service.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Scheme and host in lower case, without the scheme's usual port, without slashes at the end and blanks at
// both ends; everything else stays byte for byte. From anything but an http or https URL it removes only
// these slashes and blanks.
std::string normal_base_url(std::string_view url);

// The same with the blanks at its ends, as digests had it before 2026-11-28: requests worked with a line
// break at the end.
std::string older_base_url(std::string_view url);

// One form for the spellings by which the same service is reached: "http://localhost././%61pi" is
// "http://localhost/api", too. For comparing alone; requests go to the address that was given.
std::string meaning_of_base_url(std::string_view url);

}  // namespace genclip
