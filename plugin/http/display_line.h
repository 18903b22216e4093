// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns what a service says into a line that can be shown to people.
#pragma once

#include <string>
#include <string_view>

#include "plugin/http/secrets.h"

namespace genclip {

// shown_line() of any bytes, redacted: without the secrets, Bearer tokens and the queries of URLs.
// Single blanks only, and none at the ends. At most `max_characters` (1 or more).
std::string display_line(std::string_view text, size_t max_characters, const Secrets &secrets);

}  // namespace genclip
