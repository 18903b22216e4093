// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/segment_stretch.h"

#include <algorithm>

namespace genclip {

std::optional<Stretch> stretch_of(const GstSegment &segment, int64_t duration) {
  uint64_t stop = segment.stop;
  if (duration > 0) {
    const uint64_t end =
        gst_segment_position_from_stream_time(&segment, GST_FORMAT_TIME, static_cast<uint64_t>(duration));
    // A stop beyond the material is no promise of more.
    if (GST_CLOCK_TIME_IS_VALID(end)) stop = GST_CLOCK_TIME_IS_VALID(stop) ? std::min(stop, end) : end;
  }
  if (!GST_CLOCK_TIME_IS_VALID(stop) || !GST_CLOCK_TIME_IS_VALID(segment.start) || stop <= segment.start)
    return std::nullopt;
  const uint64_t one = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, segment.start);
  const uint64_t other = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, stop);
  if (!GST_CLOCK_TIME_IS_VALID(one) || !GST_CLOCK_TIME_IS_VALID(other)) return std::nullopt;
  return Stretch{std::min(one, other), std::max(one, other)};
}

}  // namespace genclip
