// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The log category of vetting.
#pragma once

#include "plugin/base/log.h"

namespace genclip {

// "genclip-vetting". DEBUG: what was found in media. Any thread.
GstDebugCategory *vetting_category();

}  // namespace genclip
