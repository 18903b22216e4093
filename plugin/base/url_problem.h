// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a text can be the URL of anything. For addresses of services and for references to media alike.
#pragma once

#include <glib.h>

#include <optional>
#include <string>
#include <string_view>

namespace genclip {

// Escapes are the server's own: they need not be UTF-8, and may be a NUL.
constexpr auto kAnyUrlFlags = static_cast<GUriFlags>(G_URI_FLAGS_ENCODED | G_URI_FLAGS_PARSE_RELAXED);

// What is wrong with an http or https URL; begins with a verb, and quotes nothing of it.
std::optional<std::string> url_problem(std::string_view url);

}  // namespace genclip
