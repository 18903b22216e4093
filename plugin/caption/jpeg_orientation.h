// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads a picture's orientation from the JPEG itself (EXIF).
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <optional>
#include <string>

namespace genclip {

// Nothing when it does not say, or is no JPEG. Any bytes are safe.
std::optional<GstVideoOrientationMethod> jpeg_orientation(GstBuffer *jpeg);
// The same of a local file: GStreamer's decoder of JPEG does not look for the EXIF of a camera that was held
// upright. Blocks for the disk.
std::optional<GstVideoOrientationMethod> jpeg_file_orientation(const std::string &uri);

}  // namespace genclip
