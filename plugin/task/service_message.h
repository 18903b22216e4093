// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The sentence for people inside whatever a service sends as an error (§7: shapes "not shown").
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/json.h"

namespace genclip {

// Any bytes made fit to be shown: one line of valid UTF-8, without control and direction characters, without
// `key` (empty: none), Bearer tokens and URLs' queries; what is longer than `max_characters` ends with an
// ellipsis.
std::string display_line(std::string_view text, size_t max_characters, std::string_view key);

// Looks through strings, objects, lists and JSON inside strings, to a bounded depth. Empty when there is
// nothing to tell: null, {}, {"code":0}, "". A display line of at most 500 characters.
std::string service_message(const Json &error, std::string_view key = {});

// The same for the body of an error reply, JSON or not; a page of HTML or XML gives its title or message, or
// nothing.
std::string service_message_in(std::string_view body, std::string_view key = {});

}  // namespace genclip
