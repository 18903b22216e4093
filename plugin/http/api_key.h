// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where the API key comes from (§5), and where it must not go.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

// The property, else the file, else $GENCLIP_API_KEY, else the file that $GENCLIP_API_KEY_FILE names. A file
// that others can read is refused, links to it are followed. The error (ErrorKind::settings) says what to set
// and never holds the key.
Result<std::string> find_api_key(const std::string &key, const std::string &file);

// That a key goes over plain http to another machine, in one sentence, or nothing; `setting` is where its
// address was given.
std::vector<std::string> key_in_clear(const std::string &base_url, const std::string &setting);

}  // namespace genclip
