// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The thread that makes stills of frames, in the order of the stream.
#pragma once

#include "elements/captioner/caption_line.h"

namespace genclip {

struct StillSettings {
  unsigned frames = 1;
  unsigned max_frame_size = 768;
  double scene_threshold = 0;
  uint64_t interval = 0;
};

// Works until the line stops. Borrows line, which must outlive the call.
void make_stills(CaptionLine &line, const StillSettings &settings);

}  // namespace genclip
