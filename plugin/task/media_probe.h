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

// Adds to `facts` what the file at `uri` is found to be. The error's text reads on from the medium's name.
// Cancelled within milliseconds.
Result<void> probe_media(const std::string &uri, MediaKind kind, std::chrono::milliseconds timeout,
                         MediaFacts &facts, GCancellable *cancellable);

}  // namespace genclip
