// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which URLs genclip asks, and where a redirect may lead.
#pragma once

#include <optional>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"

namespace genclip {

// How libsoup reads URLs, but that a lone % stays as it is: who writes such an address has seen it work so.
constexpr auto kHttpUriFlags = static_cast<GUriFlags>(
    G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED_PATH | G_URI_FLAGS_ENCODED_QUERY |
    G_URI_FLAGS_ENCODED_FRAGMENT | G_URI_FLAGS_SCHEME_NORMALIZE | G_URI_FLAGS_PARSE_RELAXED);

// An http or https URL with a host; ErrorKind::settings for anything else.
Result<GRef<GUri>> parse_http_url(const std::string &url);

// Host, and port when it is not the usual one: for texts.
std::string host_of(GUri *url);

bool is_https(GUri *url);

// 127.0.0.0/8, [::1] and localhost.
bool is_loopback(GUri *url);

// What `reference` means at `base`; nothing when that is no http or https URL.
std::optional<std::string> resolve_http_url(GUri *base, const std::string &reference);

// What `location` means as an answer to `from`. ErrorKind::open_read when it must not be followed: not
// http(s), or from https to http.
Result<std::string> redirect_target(GUri *from, const std::string &location);

// True of the statuses that ask for the same GET elsewhere.
bool is_redirect(unsigned status);

}  // namespace genclip
