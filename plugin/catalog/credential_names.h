// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names by which people put a key where it must not be: into a URI or a request.
#pragma once

#include <string_view>

namespace genclip {

// True for api_key, API-KEY, token, Authorization and their like; case, "-" and "_" count for nothing.
bool names_credential(std::string_view field);

}  // namespace genclip
