// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One spelling of a service's address, so that it is one service however it is written.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Scheme and host in lower case, without the scheme's usual port and without slashes at the end; all else
// stays byte for byte. Of what is no http or https URL only the slashes at the end go.
std::string normal_base_url(std::string_view url);

}  // namespace genclip
