// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A request that came as a URI, as properties.
#pragma once

#include "elements/clipsrc/clip_settings.h"

namespace genclip {

// Replaces all that a request has; leaves what it has not (key, store, timeouts). The request was checked.
// An error (settings), and nothing replaced, when a value has no room in its property: it is not cut.
Result<void> settings_from(const ClipRequest &request, ClipSettings &settings);

}  // namespace genclip
