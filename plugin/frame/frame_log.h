// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The log category of frames.
#pragma once

#include "plugin/base/log.h"

namespace genclip {

// "genclip-frame". DEBUG: how a frame is found. Any thread.
GstDebugCategory *frame_category();

}  // namespace genclip
