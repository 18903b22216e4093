// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The log category of outputs.
#pragma once

#include "plugin/base/log.h"

namespace genclip {

// "genclip-output". INFO: an output's change of state; DEBUG: a file or a segment. Any thread.
GstDebugCategory *output_category();

}  // namespace genclip
