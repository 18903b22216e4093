// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What shows the pieces of a channel: elements/channelsrc by GStreamer, tests by counting.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/channel/item_state.h"
#include "plugin/channel/schedule.h"

namespace genclip {

// A clip that is made ready to go on the air; 0: none.
using CueId = uint64_t;

enum class CueState { preparing, ready, failed };

struct StageCounts {
  uint64_t frames = 0;        // That have left.
  uint64_t audio_frames = 0;  // Samples of each channel that have left.
  uint64_t late = 0;          // Frames that came too late for their clock time.
  uint64_t dropped = 0;       // Frames of clips that were not shown.
};

// Thread-safe; no call blocks for long.
class Stage {
 public:
  virtual ~Stage() = default;

  // Begins to open and decode media, up to the first picture and sound; `frames`: how long it is to be shown.
  virtual CueId cue(const ReadyMedia &media, uint64_t frames) = 0;
  virtual CueState state(CueId cue) = 0;
  // Why a cue failed, also after it went on the air: a sentence. On the air, it is known a little before
  // state() says so.
  virtual std::string failure(CueId cue) = 0;
  // The first frame that shows the slate instead of a cue that failed on the air; final once state() says so.
  virtual uint64_t failure_frame(CueId cue) = 0;
  // Shows the cue, or with 0 the slate, from `frame` on, and the slate behind it from frame + frames on. What
  // was there before ends at `frame`. False: nothing has changed, because that frame has left, or is about
  // to. So it is where `frame` is below earliest_frame(), or where the thread was stopped since it asked for
  // that.
  virtual bool take(CueId cue, uint64_t frame, uint64_t frames) = 0;
  // Lets go of a cue that was not taken. One that was taken goes by itself.
  virtual void drop(CueId cue) = 0;
  // The end of the stream on both pads, at that frame, or at the first one that has not left.
  virtual void end(uint64_t frame) = 0;

  // The next frame that leaves.
  virtual uint64_t frame() = 0;
  // The frame whose running time is now.
  virtual FrameTime clock() = 0;
  // The first frame at which a take() has its effect for sure.
  virtual uint64_t earliest_frame() = 0;
  virtual StageCounts counts() = 0;
};

}  // namespace genclip
