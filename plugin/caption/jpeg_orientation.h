// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a camera was held, as the JPEG itself says it (EXIF).
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <optional>

namespace genclip {

// Nothing: it does not say, or is no JPEG. Any bytes are survived.
std::optional<GstVideoOrientationMethod> jpeg_orientation(GstBuffer *jpeg);

}  // namespace genclip
