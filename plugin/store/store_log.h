// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The log category of the clip store.
#pragma once

#include "plugin/base/log.h"

namespace genclip {

// "genclip-store". WARNING: damage, INFO: a clip's transition, DEBUG: a lock. Any thread.
GstDebugCategory *store_category();

}  // namespace genclip
