// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frame of a video track is displayed when. All times are nanoseconds.
//
// The media has its own time, in which each frame begins. An edit list (ISO/IEC 14496-12, 8.6.6) says which
// spans of that time are displayed, one after the other.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <vector>

namespace genclip {

// WebM and Matroska round the time of a frame to milliseconds, so a frame may begin this much later than the
// time at which it is wanted.
inline constexpr GstClockTime kTimeTolerance = GST_MSECOND;

struct Edit {
  GstClockTime shown = 0;                        // When it is displayed.
  GstClockTime shown_end = GST_CLOCK_TIME_NONE;  // None: when the media ends.
  std::optional<GstClockTime>
      media;  // Where in the media it begins. Unset: an empty edit, nothing is displayed.
  GstClockTime media_end = GST_CLOCK_TIME_NONE;
};

// Asks for the frame that is displayed at this media time; GST_CLOCK_TIME_NONE: for the last one.
struct WantedFrame {
  GstClockTime media = GST_CLOCK_TIME_NONE;
  GstClockTime media_end = GST_CLOCK_TIME_NONE;  // The frame begins before.
  Edit edit;                                     // Displays it.

  // Whether a frame that begins then is a later one.
  bool is_passed_by(GstClockTime begin) const {
    return begin >= media_end || (GST_CLOCK_TIME_IS_VALID(media) && begin > media + kTimeTolerance);
  }

  // When a frame that begins at this media time is displayed.
  GstClockTime shown(GstClockTime begin) const {
    const GstClockTime first = *edit.media;
    return edit.shown + (begin > first ? begin - first : 0);
  }
};

// At this time of display, or the last frame (GST_CLOCK_TIME_NONE). While nothing is displayed: the frame
// before, or else the first. Nothing when the edits never display anything. No edits display it all.
std::optional<WantedFrame> wanted_frame(const std::vector<Edit> &edits, GstClockTime time);

}  // namespace genclip
