// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which URLs genclip requests, and where a redirect may lead.
#pragma once

#include <optional>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"

namespace genclip {

// As libsoup parses URLs, except that a lone % stays as it is: addresses with one work elsewhere.
constexpr auto kHttpUriFlags = static_cast<GUriFlags>(
    G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED_PATH | G_URI_FLAGS_ENCODED_QUERY |
    G_URI_FLAGS_ENCODED_FRAGMENT | G_URI_FLAGS_SCHEME_NORMALIZE | G_URI_FLAGS_PARSE_RELAXED);

// An http or https URL with a host; ErrorKind::settings for anything else. Path, query and fragment keep
// their bytes, escapes too, except that blanks, controls and bytes above 0x7e are escaped, and an empty path
// is "/".
Result<GRef<GUri>> parse_http_url(const std::string &url);

// The URL for libsoup, without user and fragment: through a proxy, libsoup would write the user into the
// request line.
GRef<GUri> sent_url(GUri *url);

// The value of Authorization for the user and password of the URL; empty when it names none.
std::string basic_authorization(GUri *url);

// For texts: the host, and the port unless it is the usual one.
std::string host_of(GUri *url);

bool is_https(GUri *url);

// 127.0.0.0/8, [::1] and localhost.
bool is_loopback(GUri *url);

// `reference` resolved against `base`, both from parse_http_url(), and with the same bytes as there; nothing
// when the result is no http or https URL.
std::optional<std::string> resolve_http_url(GUri *base, const std::string &reference);

// The target of a redirect from `from`. ErrorKind::open_read when it must not be followed: it is not http(s),
// or leads from https to http.
Result<std::string> redirect_target(GUri *from, const std::string &location);

// True for the statuses that redirect a GET.
bool is_redirect(unsigned status);

}  // namespace genclip
