// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The thread that encodes frames as stills, in stream order.
#pragma once

#include "elements/captioner/caption_queue.h"
#include "elements/captioner/detached_work.h"

namespace genclip {

struct StillSettings {
  unsigned frames = 1;
  unsigned max_frame_size = 768;
  double scene_threshold = 0;
  uint64_t interval = 0;
};

// Runs until the schedule stops. All slow work happens in `codecs`, so this returns at once after
// codecs.leave(). Borrows queue and codecs, which must outlive the call.
void make_stills(CaptionQueue &queue, DetachedWork &codecs, const StillSettings &settings);

}  // namespace genclip
