// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An item's source as people and logs may see it.
#pragma once

#include <string>

namespace genclip {

// Without users, queries and fragments of URLs, which may be signed. Of a genclip:// URI the fields stay, and
// the URLs in them lose theirs. A file: URI, which holds no secrets, stays.
std::string shown_source(const std::string &uri);

}  // namespace genclip
