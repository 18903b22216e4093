// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Frames and samples as times: the same rounding as GStreamer's aggregators have.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <cstdint>

#include "plugin/channel/schedule.h"

namespace genclip {

struct FrameGrid {
  int fps_n = 25, fps_d = 1;
  int rate = 48000;  // Samples per second.

  GstClockTime time_of(uint64_t frame) const {
    return gst_util_uint64_scale_round(frame, GST_SECOND * static_cast<uint64_t>(fps_d),
                                       static_cast<uint64_t>(fps_n));
  }
  // The nearest frame; the later one of two.
  uint64_t frame_at(GstClockTime time) const {
    return gst_util_uint64_scale_round(time, static_cast<uint64_t>(fps_n),
                                       GST_SECOND * static_cast<uint64_t>(fps_d));
  }
  // The frame nearest to that time, and the moment at which it begins, if it is `wall` at that time: not the
  // time itself, else an item's start time would be rounded twice.
  FrameTime frame_time(GstClockTime time, std::chrono::system_clock::time_point wall) const {
    const uint64_t frame = frame_at(time);
    const std::chrono::nanoseconds since(GST_CLOCK_DIFF(time_of(frame), time));
    return {frame, std::chrono::round<Clock::WallTime::duration>(wall - since)};
  }
  // The first sample that belongs to that frame.
  uint64_t sample_of(uint64_t frame) const {
    return gst_util_uint64_scale_round(frame, static_cast<uint64_t>(rate) * static_cast<uint64_t>(fps_d),
                                       static_cast<uint64_t>(fps_n));
  }
  GstClockTime time_of_sample(uint64_t sample) const {
    return gst_util_uint64_scale_round(sample, GST_SECOND, static_cast<uint64_t>(rate));
  }
  uint64_t sample_at(GstClockTime time) const {
    return gst_util_uint64_scale_round(time, static_cast<uint64_t>(rate), GST_SECOND);
  }
};

}  // namespace genclip
