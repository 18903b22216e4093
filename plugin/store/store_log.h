// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The log category of the clip store.
#pragma once

#include <gst/gst.h>

namespace genclip {

// "genclip-store". INFO: a clip's transition, WARNING: damage. Any thread.
GstDebugCategory *store_category();

}  // namespace genclip
