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

// Why a channel cannot make pictures of these caps, likewise; empty: it can, and `form` is filled.
inline std::string picture_caps_problem(const GstCaps *caps, GstVideoInfo &form) {
  constexpr int kMostFrames = 1000;  // A second.
  const GstCapsFeatures *memory = caps && gst_caps_is_fixed(caps) ? gst_caps_get_features(caps, 0) : nullptr;
  if (memory && !gst_caps_features_is_equal(memory, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    return " must be in system memory. For another memory, put glupload or the like behind the channel.";
  const bool is_picture = caps && gst_caps_is_fixed(caps) && gst_video_info_from_caps(&form, caps) &&
                          GST_VIDEO_INFO_FORMAT(&form) != GST_VIDEO_FORMAT_ENCODED && form.width > 0 &&
                          form.height > 0 && form.fps_n > 0 && form.fps_n / form.fps_d <= kMostFrames;
  if (!is_picture)
    return " must be raw video of one format, size and frame rate (1000 frames a second or less).";
  return picture_form_problem(form);
}

}  // namespace genclip
