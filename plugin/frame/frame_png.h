// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns a decoded frame into a PNG.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/frame/frame.h"

namespace genclip {

struct RawFrame {
  GRef<GstBuffer> buffer;
  GRef<GstCaps> caps;  // video/x-raw in system memory
  GstVideoOrientationMethod orientation = GST_VIDEO_ORIENTATION_IDENTITY;
  GstClockTime time = 0;  // In stream time.
};

// Equal frames give equal bytes.
Result<Frame> frame_png(const RawFrame &raw);

}  // namespace genclip
