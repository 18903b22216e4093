// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/picture_times.h"

#include <utility>

namespace genclip {
namespace {

uint64_t fixed_interval(GstElement *gencaption) {
  guint64 interval = 0;
  gint align = 0;  // fixed
  g_object_get(gencaption, "interval", &interval, "align", &align, nullptr);
  return align == 0 ? interval : 0;
}

}  // namespace

PictureTimes::PictureTimes(GstElement *gencaption) : interval_(fixed_interval(gencaption)) {}

GstPadProbeReturn PictureTimes::take(GstPadProbeInfo *info) {
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
    parts_ += !std::exchange(has_data_, true);
    note(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
    return GST_PAD_PROBE_OK;
  }
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  // Nothing waits for it here, and the decoder may hold pictures from before its end.
  if (GST_EVENT_TYPE(event) == GST_EVENT_GAP) return GST_PAD_PROBE_DROP;
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT) return GST_PAD_PROBE_OK;
  gst_event_copy_segment(event, &segment_);
  has_data_ = false;
  end_ = running_time(segment_.stop);
  return GST_PAD_PROBE_OK;
}

PictureHoles PictureTimes::holes() const {
  MutexLock lock(mutex_);
  return holes_;
}

void PictureTimes::note(uint64_t position) {
  const int64_t time = running_time(position);
  if (time < 0) return;
  const uint64_t stream_time = gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, position);
  const bool has_window = interval_ > 0 && GST_CLOCK_TIME_IS_VALID(stream_time);
  const auto begin = time - static_cast<int64_t>(has_window ? stream_time % interval_ : 0);
  const auto end = has_window ? begin + static_cast<int64_t>(interval_) : time;
  MutexLock lock(mutex_);
  holes_.saw(std::chrono::nanoseconds(time),
             {std::chrono::nanoseconds(begin), std::chrono::nanoseconds(end)});
}

// -1: none.
int64_t PictureTimes::running_time(uint64_t position) const {
  const uint64_t time = segment_.format == GST_FORMAT_TIME
                            ? gst_segment_to_running_time(&segment_, GST_FORMAT_TIME, position)
                            : GST_CLOCK_TIME_NONE;
  return GST_CLOCK_TIME_IS_VALID(time) ? static_cast<int64_t>(time) : -1;
}

}  // namespace genclip
