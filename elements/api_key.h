// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where the API key comes from (§5).
#pragma once

#include <string>

#include "plugin/base/result.h"

namespace genclip {

// The property, else the file, else $GENCLIP_API_KEY, else the file that $GENCLIP_API_KEY_FILE names. A file
// that others can read is refused. The error (ErrorKind::settings) says what to set and never holds the key.
Result<std::string> find_api_key(const std::string &key, const std::string &file);

}  // namespace genclip
