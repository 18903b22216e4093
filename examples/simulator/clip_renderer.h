// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Renders the file of one clip with GStreamer.
#pragma once

#include <gio/gio.h>

#include "examples/simulator/clip_order.h"
#include "plugin/base/gref.h"

namespace genclip::sim {

struct ClipLayout {
  // The moov box before the mdat box.
  bool faststart = false;
  // The least size of the file; a free box before the last box makes up for it.
  uint64_t least_bytes = 0;
  // A divisor of 48000.
  unsigned frames_per_second = 24;
  // The tone's peak, in dB of full scale: each clip has its own between these two.
  double least_tone = -20, most_tone = -20;
  // With the bars and ticks of clip_marks.h.
  bool marks = false;
};

// Names the elements of GStreamer that are not installed, of those that clips need. Needs gst_init().
Result<void> check_rendering();

// Blocks until the file is made or `cancellable` is cancelled. H.264 (and AAC) in mp4, or PNG.
Result<GRef<GBytes>> render_clip(const ClipOrder &order, const ClipLayout &layout, GCancellable *cancellable);

}  // namespace genclip::sim
