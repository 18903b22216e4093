// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The stage of a channel: two streams that never stop, and the clips on them.
//
// There is no mixer. Each output counts frames: it waits until the pipeline's clock shows the time of frame
// n, looks up what is on the air at n, takes that picture (or the samples that belong to it) from the clip's
// track, and sends it with the exact time of n. So a cut is an index, nothing can drift, and a clip's
// pictures go out uncopied. What is not there in time:
//
// - A frame that the decoder has not made `latency`/2 after its time: the last one is shown once more, and
// the
//   late one is skipped, so that picture and sound stay where they were planned. That happens when the
//   machine is overloaded, or was stopped.
// - A decoder that makes nothing for `latency`/4 has stalled: the slate is shown from that frame on, and the
// cue
//   has failed. So it is when a clip fails or ends before its time.
//
// After a stop of the process the missed frames are sent at once, so the count stays the clock's.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

#include "elements/channelsrc/playout_settings.h"
#include "plugin/base/result.h"
#include "plugin/channel/stage.h"

namespace genclip {

// As an element of the bin it follows its states: it is built in NULL, opens slate and logo on the way to
// PAUSED, counts from frame 0 in PLAYING, and lets go of everything on the way to READY. A clip may be cued
// from READY on; all cues are forgotten in READY.
//
// Stage's calls are allowed on any thread and in any state, and wait for nothing.
class Playout : public Stage {
 public:
  // To be ghosted. Borrowed from the bin.
  virtual GstPad *video_pad() = 0;
  virtual GstPad *audio_pad() = 0;
  // Why the slate or the logo of the settings is not shown: sentences, or empty.
  virtual std::string problem() = 0;
};

// Adds one element to `bin`, which must be in NULL or READY. It leaves the bin again when the Playout is
// destroyed; the bin must be in NULL or READY then as well. It posts no message but an error of its own
// stream: caps that what follows refuses, say. The only error here: caps that cannot be used.
Result<std::unique_ptr<Playout>> make_playout(GstBin *bin, const PlayoutSettings &settings);

}  // namespace genclip
