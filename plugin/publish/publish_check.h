// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Asks a published URL, as the service will, before anything is paid.
#pragma once

#include <gio/gio.h>

#include <cstdint>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/http/http_client.h"

namespace genclip {

// Succeeds if the URL's server has a medium of that many bytes there. Asks again for about 5 s, because an
// upload may take a moment to appear. Blocks.
Result<void> check_public_url(HttpClient &http, Clock &clock, const std::string &url, uint64_t size,
                              GCancellable *cancellable);

}  // namespace genclip
