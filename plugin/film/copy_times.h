// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The times of a stream that is copied: none of it may lie outside its segment, because muxers leave out
// what does.
//
// An edit list hides pictures from a keyframe on, until the one that is displayed first. In a copy these
// show: all streams begin as much later.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <optional>

namespace genclip {

// Where running time 0 stands while a stream is parsed, so that what is hidden has a time, too.
inline constexpr GstClockTime kCopyZero = 1000 * 60 * 60 * GST_SECOND;

// The time of a position of the segment, also of one outside it.
GstClockTime copy_time(const GstSegment &segment, GstClockTime position);

// Time that passes in a copy before the film's own begins. `first_picture`: its copy_time().
std::chrono::nanoseconds hidden_before(GstClockTime first_picture);

// In which the muxer gets a stream whose copy_time() 0 is at the segment's start; `hidden`: of all streams.
GstSegment copy_segment(const GstSegment &parsed, std::chrono::nanoseconds hidden);

// Data of a stream that muxers drop, because it has no time.
class CopyLosses {
 public:
  // True: a copy would lack more than players do, which show no picture before the first that has a time.
  bool add(bool is_lost, bool is_picture);
  // Nothing had a time.
  bool are_all() const { return lost_ > 0 && !has_kept_; }

 private:
  unsigned lost_ = 0;
  bool has_kept_ = false;
};

// Gives all that passes a pad its copy_time(), in a segment that has no end.
class CopyTimes {
 public:
  // True: it hides data in the middle of the film, which no copy can.
  bool take(GstPadProbeInfo *info);
  // So far.
  bool is_in_parts() const { return parts_ > 1; }
  // qtdemux of GStreamer 1.22 compares times of decoding with the film's length, so it drops the end of a
  // film whose edit list begins later in the media, or shows several parts of it.
  bool may_lose_end() const;
  // At the end of the stream: what it has dropped shows. `film`: the length of all streams, if it is known.
  bool has_lost_end(std::optional<std::chrono::nanoseconds> film) const;

 private:
  bool take_buffer(GstPadProbeInfo *info);
  void take_event(GstPadProbeInfo *info);
  void note_end(const GstBuffer &buffer);

  std::optional<GstSegment> segment_;
  bool is_later_ = false;                    // Than the first segment.
  unsigned parts_ = 0;                       // Segments that had data.
  bool has_data_ = false;                    // This one has.
  GstClockTime reordering_ = 0;              // By how much it shows pictures later than it decodes them.
  GstClockTime last_ = GST_CLOCK_TIME_NONE;  // Where the last data begin, as copy_time().
  GstClockTime before_last_ = GST_CLOCK_TIME_NONE;  // Those before them, in the order of display.
  bool has_length_ = false;                         // The last data tell it.
  GstClockTime length_ = 0;                         // Of those, or about that.
};

}  // namespace genclip
