// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When the stage tells what the run will ask: with the first buffer after a segment whose length is known.
#include <algorithm>

#include "elements/captioner/caption_stage.h"
#include "plugin/caption/window_count.h"

namespace genclip {

void CaptionStage::tell_estimate() {
  const InputKind kind = input_->kind();
  const bool has_windows = kind == InputKind::video ||
                           (kind == InputKind::image && settings_.image_sampling != ImageSampling::every);
  if (live_ || !has_windows || !estimate_.is_due()) return;
  const GstSegment &segment = input_->segment();
  uint64_t stop = segment.stop;
  gint64 duration = -1;
  if (gst_pad_peer_query_duration(sink_, GST_FORMAT_TIME, &duration) && duration > 0) {
    const uint64_t end =
        gst_segment_position_from_stream_time(&segment, GST_FORMAT_TIME, static_cast<uint64_t>(duration));
    // A stop beyond the material is no promise of more.
    if (GST_CLOCK_TIME_IS_VALID(end)) stop = GST_CLOCK_TIME_IS_VALID(stop) ? std::min(stop, end) : end;
  }
  if (!GST_CLOCK_TIME_IS_VALID(stop) || !GST_CLOCK_TIME_IS_VALID(segment.start) || stop <= segment.start)
    return;
  const uint64_t one = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, segment.start);
  const uint64_t other = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, stop);
  if (!GST_CLOCK_TIME_IS_VALID(one) || !GST_CLOCK_TIME_IS_VALID(other)) return;
  const uint64_t begin = std::min(one, other), end = std::max(one, other);
  EstimatedWindows of{windows_between(begin, end, settings_.interval), 0, end - begin};
  of.most = input_->looks_for_cuts()
                ? most_windows_with_cuts(begin, end, std::min(settings_.min_interval, settings_.interval))
                : of.windows;
  estimate_.tell(of, stats());
}

}  // namespace genclip
