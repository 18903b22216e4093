// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One frame of picture or a piece of sound, as outputs are given it.
#pragma once

#include <gst/gst.h>

#include "plugin/base/clock.h"
#include "plugin/base/gref.h"
#include "plugin/output/key_frame_join.h"

namespace genclip {

enum class Stream { video, audio };

struct EncodedFrame {
  Stream stream = Stream::video;
  GRef<GstSample> sample = {};  // The buffer and its caps.
  FrameTimes times = {};        // Running time of the channel.
  bool key_frame = true;
  Clock::WallTime shown_at = {};  // By the clock of the channel's pipeline, whenever it was encoded.
};

}  // namespace genclip
