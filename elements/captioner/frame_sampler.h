// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Selects the frames that become stills, and those that start a window with a caption.
#pragma once

#include <cstdint>
#include <optional>

namespace genclip {

// Stream time is divided into windows of `interval`, [k·interval, (k+1)·interval). The first frame of a
// window triggers the request for its caption, because a tee with default queues cannot wait for more frames.
// The stills of a request are this frame and up to `frames` - 1 earlier ones, spread over the interval before
// it. Pure arithmetic in nanoseconds; one thread at a time.
class FrameSampler {
 public:
  struct Window {
    uint64_t start = 0;
    uint64_t end = 0;
  };
  struct Decision {
    bool keep = false;             // make a still of it
    std::optional<Window> window;  // and request the caption of this window
  };

  FrameSampler(uint64_t interval, unsigned frames);

  // A frame at this stream time, which increases from frame to frame, or decreases if `falling`. Windows may
  // have no frames. Frames in the other direction are repetitions and are ignored. A frame that is not the
  // first of its window, and lasts longer than one, is also the first of the next window. `lasts`: 0:
  // unknown.
  Decision on_frame(uint64_t stream_time, bool falling = false, uint64_t lasts = 0);

  // After a flush or a new segment, the next frame starts a window.
  void reset();

 private:
  const uint64_t interval_;
  const unsigned frames_;
  std::optional<uint64_t> window_;
  std::optional<uint64_t> step_;
};

}  // namespace genclip
