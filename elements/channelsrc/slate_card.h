// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The built-in slate: a calm card that nobody takes for a black picture.
#pragma once

#include <gst/video/video.h>

#include "plugin/base/gref.h"

namespace genclip {

// One picture of that form. Nothing if GStreamer cannot convert to it.
GRef<GstBuffer> slate_card(const GstVideoInfo &form);

}  // namespace genclip
