// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a proxy and a CA file can be used, told before anything is sent.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/http/http_client.h"

namespace genclip {

// The URL of the proxy; "host:port" is one too. ErrorKind::settings for what GIO has no proxies of. The text
// holds no password.
Result<GRef<GUri>> proxy_url(const std::string &proxy);

// Certificates that are trusted besides the system's. ErrorKind::settings for what is no file, cannot be read
// or holds none.
Result<GRef<GTlsDatabase>> trust_anchors(const std::string &file);

// One sentence each; reads the file.
std::vector<std::string> problems_of(const HttpSettings &settings);

}  // namespace genclip
