// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/key_frame_join.h"

namespace genclip {

FrameTimes KeyFrameJoin::counted(FrameTimes times) const { return {times.pts - *base_, times.dts - *base_}; }

std::optional<FrameTimes> KeyFrameJoin::video(bool key_frame, FrameTimes times, bool full) {
  if (full) joined_ = false;
  if (full || (!joined_ && !key_frame)) return std::nullopt;
  if (!joined_) {
    joined_ = true;
    begin_ = times.pts;
    if (!base_) {
      base_ = times.dts;
      sound_begin_ = times.pts;
    }
  }
  // Shown before the key frame, so it refers to one that this output does not have.
  if (times.pts < begin_) return std::nullopt;
  return counted(times);
}

std::optional<FrameTimes> KeyFrameJoin::audio(FrameTimes times, bool full) {
  if (full) joined_ = false;
  if (full || !base_ || times.pts < sound_begin_) return std::nullopt;
  return counted(times);
}

}  // namespace genclip
