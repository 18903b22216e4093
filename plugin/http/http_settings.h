// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Validates a proxy and a CA file before anything is sent.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/http/http_client.h"

namespace genclip {

// The URL of the proxy, from a URL or "host:port". ErrorKind::settings for a kind of proxy that GIO does not
// support. The text holds no password.
Result<GRef<GUri>> proxy_url(const std::string &proxy);

// Certificates that are trusted besides the system's. ErrorKind::settings for a file that is missing,
// unreadable, or without certificates.
Result<GRef<GTlsDatabase>> trust_anchors(const std::string &file);

// One sentence each; reads the file.
std::vector<std::string> problems_of(const HttpSettings &settings);

}  // namespace genclip
