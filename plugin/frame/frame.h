// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Takes one picture out of a video file, exactly as a player shows it, as a PNG.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/base/result.h"

namespace genclip {

// Which picture of a video. Times count from the beginning of the video as players do: edit lists apply.
struct FramePosition {
  // Takes the picture that is displayed at this time, to the millisecond, because that is how precisely WebM
  // and Matroska tell when a frame begins. Before the first frame: the first. Unset: the last frame.
  std::optional<std::chrono::nanoseconds> time;
  // A time that is later than the end by no more than this takes the last frame, too.
  std::chrono::nanoseconds spare{0};

  static FramePosition first() { return {std::chrono::nanoseconds::zero()}; }
  static FramePosition last() { return {}; }
};

struct FrameLimits {
  std::chrono::milliseconds time{60'000};
  // 8K video, and pictures of 37 megapixels. A decoder keeps up to 20 frames of this size.
  uint64_t max_pixels = uint64_t{8192} * 4608;
};

struct Frame {
  std::string png;  // RGB, or RGBA of a picture with alpha; upright, with square pixels.
  unsigned width = 0;
  unsigned height = 0;
  std::chrono::nanoseconds time{0};  // When it begins.
};

// From H.264, HEVC, VP9, AV1 or JPEG in MP4, QuickTime, WebM or Matroska; a PNG or JPEG file has one frame.
// The same file gives the same bytes. The error's text continues a sentence that begins with the file's name.
// Its kind is not_found or open_read when the file cannot be opened; wrong_type when it is another medium, or
// damaged; settings when the video ends before that time, or is larger than the limits allow; failed when
// GStreamer has no decoder for it; timed_out. Blocks; cancelling ends it after the current step of the
// decoder. Any file is safe. Needs gst_init.
Result<Frame> frame_at(const std::string &path, FramePosition position, const FrameLimits &limits = {},
                       GCancellable *cancellable = nullptr);

}  // namespace genclip
