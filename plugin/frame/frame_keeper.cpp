// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/frame_keeper.h"

#include <utility>

namespace genclip {
namespace {

// When the frame begins, in stream time. Nothing for a frame outside of the segment, which was decoded
// because others refer to it.
std::optional<GstClockTime> begin_of(GstPad *pad, GstBuffer *buffer) {
  const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
  if (!event) return std::nullopt;
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  // The decoder of a picture may give no time.
  if (!GST_BUFFER_PTS_IS_VALID(buffer)) return 0;
  const GstClockTime begin = GST_BUFFER_PTS(buffer);
  const GstClockTime end =
      GST_BUFFER_DURATION_IS_VALID(buffer) ? begin + GST_BUFFER_DURATION(buffer) : GST_CLOCK_TIME_NONE;
  guint64 shown_begin = begin;
  guint64 shown_end = end;
  if (segment->format != GST_FORMAT_TIME ||
      !gst_segment_clip(segment, GST_FORMAT_TIME, begin, end, &shown_begin, &shown_end))
    return std::nullopt;
  const guint64 time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, shown_begin);
  return GST_CLOCK_TIME_IS_VALID(time) ? std::optional<GstClockTime>(time) : std::nullopt;
}

}  // namespace

bool FrameKeeper::see(GstPad *pad, GstBuffer *buffer) {
  const auto time = begin_of(pad, buffer);
  if (!time) return false;
  RawFrame frame{GRef<GstBuffer>::share(buffer), GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad)),
                 GST_VIDEO_ORIENTATION_IDENTITY, *time};
  const MutexLock lock(mutex_);
  if (is_certain_ || !frame.caps) return false;
  frame.orientation = orientation_;
  const bool is_later = wanted_.is_passed_by(*time);
  if (is_later) {
    // Before the first frame, players show the first frame.
    if (!kept_ && *time < wanted_.media_end) kept_ = std::move(frame);
    is_certain_ = true;
  } else if (!kept_ || *time >= kept_->time) {
    kept_ = std::move(frame);
  }
  return is_later;
}

void FrameKeeper::see(GstEvent *event) {
  const MutexLock lock(mutex_);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    kept_.reset();
    is_certain_ = false;
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_TAG) {
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event, &tags);
    gst_video_orientation_from_tag(tags, &orientation_);
  }
}

bool FrameKeeper::is_certain() const {
  const MutexLock lock(mutex_);
  return is_certain_;
}

std::optional<RawFrame> FrameKeeper::kept() const {
  const MutexLock lock(mutex_);
  return kept_;
}

}  // namespace genclip
