// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Recognises field names that stand for a key, which must not be in a URI or a request.
#pragma once

#include <string_view>

namespace genclip {

// True for api_key, API-KEY, token, Authorization and their like; ignores case, "-" and "_".
bool names_credential(std::string_view field);

}  // namespace genclip
