// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When the stage tells what the run will ask: with the first buffer after a segment whose length is known.
#include "elements/captioner/caption_stage.h"
#include "plugin/base/segment_stretch.h"
#include "plugin/caption/window_count.h"

namespace genclip {

void CaptionStage::tell_estimate() {
  const InputKind kind = input_->kind();
  const bool has_windows = kind == InputKind::video ||
                           (kind == InputKind::image && settings_.image_sampling != ImageSampling::every);
  if (live_ || !has_windows || !estimate_.is_due()) return;
  gint64 duration = -1;
  gst_pad_peer_query_duration(sink_, GST_FORMAT_TIME, &duration);
  const auto stretch = stretch_of(input_->segment(), duration);
  if (!stretch) return;
  WindowRules rules{settings_.interval};
  if (input_->looks_for_cuts()) rules.min_interval = settings_.min_interval;
  const WindowCount count = count_windows(stretch->begin, stretch->end, rules);
  const EstimatedWindows of{count.windows, count.most, stretch->end - stretch->begin};
  estimate_.tell(of, stats());
}

}  // namespace genclip
