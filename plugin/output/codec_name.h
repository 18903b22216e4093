// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The name of a video format in a playlist's CODECS (RFC 6381), such as "avc1.64001f".
#pragma once

#include <gst/gst.h>

#include <string>

namespace genclip {

// From the profile and the level in the caps of h264parse or h265parse. Empty for others.
std::string codec_name(const GstCaps *caps);

}  // namespace genclip
