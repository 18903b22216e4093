// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads a picture's orientation from the JPEG itself (EXIF).
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <optional>

namespace genclip {

// Nothing when it does not say, or is no JPEG. Any bytes are safe.
std::optional<GstVideoOrientationMethod> jpeg_orientation(GstBuffer *jpeg);

}  // namespace genclip
