// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Measures a medium on this machine with GstDiscoverer: duration, frame size, frame rate.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <string>

#include "plugin/base/result.h"
#include "plugin/catalog/media_reference.h"
#include "plugin/task/media_facts.h"

namespace genclip {

// Adds what it finds out about the file at `uri` to `facts`. The error's text continues a sentence that
// begins with the medium's name. Ends within milliseconds when cancelled.
Result<void> probe_media(const std::string &uri, MediaKind kind, std::chrono::milliseconds timeout,
                         MediaFacts &facts, GCancellable *cancellable);

}  // namespace genclip
