// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frames become stills, and which of them begin a window that gets a caption.
#pragma once

#include <cstdint>
#include <optional>

namespace genclip {

// Stream time is cut into windows of `interval`, [k·interval, (k+1)·interval). The first frame of a window
// asks for its caption at once: a tee with default queues cannot wait for more. Stills of a request are that
// frame and, spread over the interval before it, up to `frames` - 1 earlier ones.
// Pure arithmetic in nanoseconds; one thread at a time.
class FrameSampler {
 public:
  struct Window {
    uint64_t start = 0;
    uint64_t end = 0;
  };
  struct Decision {
    bool keep = false;             // make a still of it
    std::optional<Window> window;  // and ask for the caption of this window
  };

  FrameSampler(uint64_t interval, unsigned frames);

  // A frame at that stream time, which rises from frame to frame or, `falling`, falls. Windows may lack
  // frames. What goes the other way has been there before, and is left out.
  Decision on_frame(uint64_t stream_time, bool falling = false);

  // After a flush or a new segment the next frame begins a window.
  void reset();

 private:
  const uint64_t interval_;
  const unsigned frames_;
  std::optional<uint64_t> window_;
  std::optional<uint64_t> step_;
};

}  // namespace genclip
