// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Takes secrets out of what people and logs get to see: keys, signed queries, passwords in URLs.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// Scheme, host, port and path; user, query and fragment become a mark. Any bytes will do.
std::string redact_url(std::string_view url);

// Scheme, host and port; the path becomes a mark too, for in it a CDN may have the signature.
std::string redact_path(std::string_view url);

// The text without `key` (empty: none), plain or percent-escaped, without the user, query and fragment of any
// URL in it, and without what follows "Bearer", "sig=" and its like. Any bytes will do; what people see keeps
// its line breaks.
std::string redact_text(std::string_view text, std::string_view key);

}  // namespace genclip
