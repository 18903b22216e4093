// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Removes secrets from what people and logs see: keys, signed queries, passwords in URLs.
#pragma once

#include <string>
#include <string_view>

#include "plugin/http/secrets.h"

namespace genclip {

// Keeps scheme, host, port and path; replaces user, query and fragment by a mark. Accepts any bytes.
std::string redact_url(std::string_view url);

// redact_url(), and a mark for each value of NAME=VALUE in the path, where some CDNs put a token.
std::string redact_tokens(std::string_view url);

// Keeps scheme, host and port. Replaces the path too, because some CDNs put the signature into it.
std::string redact_path(std::string_view url);

// The text without these secrets, however they are escaped, without the user, query and fragment of any URL
// in it, and without what follows "Bearer", "sig=" and the like. If escapes hide such a thing, the text is
// shown unescaped. Accepts any bytes and keeps line breaks.
std::string redact_text(std::string_view text, const Secrets &secrets);

// The text without what follows the name of a secret and a colon, an equals sign or an arrow, with or without
// blanks and quotes, as programs print their settings; behind a blank up to the next comma. Of other names
// than that of a password, words behind a blank stay if the first one is short or begins a known reason:
// "key: permission denied". Without cookies, "Basic X", "-pX" and "-u NAME:X", too. Too much for what people
// read: "Invalid key: expired" loses a word.
std::string redact_settings(std::string_view text);

}  // namespace genclip
