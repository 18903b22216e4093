// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The log category of each element: ERROR and WARNING what it posts as such, INFO its states, DEBUG seeks,
// flushes and requests, LOG buffers.
#pragma once

#include "plugin/base/log.h"

namespace genclip {

GstDebugCategory *genclipsrc_category();
GstDebugCategory *gencaption_category();
GstDebugCategory *genchannelsrc_category();

}  // namespace genclip
