// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which pictures a channel can make.
#pragma once

#include <gst/video/video.h>

#include <string>

namespace genclip {

// Why no clip can be converted to such pictures; empty: it can. Follows the name of the caps.
inline std::string picture_form_problem(const GstVideoInfo &form) {
  constexpr int kLongestSide = 32767;  // Of GStreamer's converters.
  if (GST_VIDEO_INFO_IS_INTERLACED(&form))
    return " is interlaced, but a channel makes progressive pictures only. Leave interlace-mode out.";
  if (form.width > kLongestSide || form.height > kLongestSide)
    return " has a size of " + std::to_string(form.width) + "x" + std::to_string(form.height) +
           ", but no side can be longer than " + std::to_string(kLongestSide) + ".";
  return "";
}

}  // namespace genclip
