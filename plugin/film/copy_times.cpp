// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/copy_times.h"

#include <algorithm>
#include <utility>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr unsigned kMostEarlyPictures = 10;
// About half a second.
constexpr unsigned kMostLostSounds = 25;
// A container rounds the film's length.
constexpr GstClockTime kRounding = 2 * GST_MSECOND;
// The film's length is that of its longest stream, which is often the sound.
constexpr GstClockTime kFilmSlack = GST_SECOND;

}  // namespace

GstClockTime copy_time(const GstSegment &segment, GstClockTime position) {
  if (!GST_CLOCK_TIME_IS_VALID(position)) return position;
  guint64 time = 0;
  const int sign = gst_segment_to_running_time_full(&segment, GST_FORMAT_TIME, position, &time);
  if (sign == 0) return GST_CLOCK_TIME_NONE;
  return sign > 0 ? kCopyZero + time : kCopyZero - time;
}

std::chrono::nanoseconds hidden_before(GstClockTime first_picture) {
  const bool is_hidden = GST_CLOCK_TIME_IS_VALID(first_picture) && first_picture < kCopyZero;
  return std::chrono::nanoseconds(is_hidden ? kCopyZero - first_picture : 0);
}

GstSegment copy_segment(const GstSegment &parsed, std::chrono::nanoseconds hidden) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.position = parsed.start + kCopyZero - static_cast<guint64>(hidden.count());
  return segment;
}

bool CopyLosses::add(bool is_lost, bool is_picture) {
  has_kept_ = has_kept_ || !is_lost;
  lost_ += is_lost;
  if (is_picture) return is_lost && (has_kept_ || lost_ > kMostEarlyPictures);
  return is_lost && lost_ > kMostLostSounds;
}

bool CopyTimes::take(GstPadProbeInfo *info) {
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) return take_buffer(info);
  take_event(info);
  return false;
}

bool CopyTimes::may_lose_end() const {
  if (is_in_parts()) return true;
  return segment_ && GST_CLOCK_TIME_IS_VALID(segment_->stop) &&
         segment_->start > segment_->time + reordering_ + kRounding;
}

bool CopyTimes::has_lost_end(std::optional<std::chrono::nanoseconds> film) const {
  if (!may_lose_end() || !GST_CLOCK_TIME_IS_VALID(segment_->stop) || !GST_CLOCK_TIME_IS_VALID(last_))
    return false;
  // A picture that is lost is lost as a whole.
  const GstClockTime end = last_ + length_, slack = std::max(length_ / 2, kRounding);
  if (end + slack < copy_time(*segment_, segment_->stop)) return true;
  // The parts behind the last one that came are not known.
  return is_in_parts() && film && end + kFilmSlack < kCopyZero + static_cast<GstClockTime>(film->count());
}

bool CopyTimes::take_buffer(GstPadProbeInfo *info) {
  if (!segment_) return false;
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  const GstClockTime begin = GST_BUFFER_PTS(buffer);
  GST_BUFFER_PTS(buffer) = copy_time(*segment_, begin);
  GST_BUFFER_DTS(buffer) = copy_time(*segment_, GST_BUFFER_DTS(buffer));
  if (!std::exchange(has_data_, true)) {
    ++parts_;
    const bool is_reordered = GST_BUFFER_PTS_IS_VALID(buffer) && GST_BUFFER_DTS_IS_VALID(buffer) &&
                              GST_BUFFER_PTS(buffer) > GST_BUFFER_DTS(buffer);
    reordering_ = is_reordered ? GST_BUFFER_PTS(buffer) - GST_BUFFER_DTS(buffer) : 0;
  }
  note_end(*buffer);
  return is_later_ && GST_CLOCK_TIME_IS_VALID(begin) && begin < segment_->start;
}

void CopyTimes::note_end(const GstBuffer &buffer) {
  if (!GST_CLOCK_TIME_IS_VALID(buffer.pts)) return;
  const bool is_first = !GST_CLOCK_TIME_IS_VALID(last_);
  const bool is_last = is_first || buffer.pts >= last_;
  if (is_last) {
    before_last_ = std::exchange(last_, buffer.pts);
    has_length_ = GST_CLOCK_TIME_IS_VALID(buffer.duration);
    if (has_length_) length_ = buffer.duration;
  } else if (!GST_CLOCK_TIME_IS_VALID(before_last_) || buffer.pts > before_last_) {
    before_last_ = buffer.pts;
  }
  // Some parsers leave it out. Pictures that are shown before the last one may be decoded behind it.
  if (!has_length_ && GST_CLOCK_TIME_IS_VALID(before_last_)) length_ = last_ - before_last_;
}

void CopyTimes::take_event(GstPadProbeInfo *info) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstEvent *replacement = nullptr;
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event, &segment);
    if (segment->format != GST_FORMAT_TIME) return;
    // The same one may pass again.
    const bool is_next = segment_ && !gst_segment_is_equal(&*segment_, segment);
    is_later_ = is_later_ || is_next;
    has_data_ = has_data_ && !is_next;
    segment_ = *segment;
    GstSegment open;
    gst_segment_init(&open, GST_FORMAT_TIME);
    replacement = gst_event_new_segment(&open);
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_GAP && segment_) {
    GstClockTime begin = 0, length = 0;
    gst_event_parse_gap(event, &begin, &length);
    if (const GstClockTime time = copy_time(*segment_, begin); GST_CLOCK_TIME_IS_VALID(time)) {
      replacement = gst_event_new_gap(time, length);
      // Since GStreamer 1.26, matroskamux writes other GAPs as empty buffers, which are empty cues.
      gst_event_set_gap_flags(replacement, GST_GAP_FLAG_MISSING_DATA);
    }
  }
  if (!replacement) return;
  gst_event_set_seqnum(replacement, gst_event_get_seqnum(event));
  gst_event_unref(event);
  GST_PAD_PROBE_INFO_DATA(info) = replacement;
}

}  // namespace genclip
