// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The decoded sound of one clip, by its samples. What the clip has no sound for is silence.
#pragma once

#include <gst/audio/audio.h>

#include <cstdint>
#include <deque>

#include "elements/channelsrc/frame_grid.h"
#include "elements/channelsrc/picture_track.h"
#include "plugin/base/gref.h"

namespace genclip {

// Not thread-safe.
class SoundTrack {
 public:
  SoundTrack(const FrameGrid &grid, int bytes_per_sample) : grid_(grid), bytes_(bytes_per_sample) {}

  // `time`: from the beginning of the clip; NONE: it follows what was added last. Times that are off by less
  // than kJitter are rounding.
  void add(GRef<GstBuffer> sound, GstClockTime time);
  // There is no sound until then.
  void gap(GstClockTime until);
  void end() { ended_ = true; }
  void clear();

  // Puts samples [first, first + count) over `out`, which holds silence. What lies before `first` is let go.
  // `not_yet`: there will be more; what is there is in `out`.
  TrackAnswer read(uint64_t first, uint64_t count, uint8_t *out);

  bool has_first() const { return until_ > 0 || ended_; }
  // How far it reaches beyond what was read, in samples.
  uint64_t waiting() const { return until_ > read_until_ ? until_ - read_until_ : 0; }

 private:
  static constexpr GstClockTime kJitter = 2 * GST_MSECOND;
  struct Chunk {
    GRef<GstBuffer> sound;
    uint64_t first, end;  // Samples.
    uint64_t skipped;     // Of the buffer.
  };
  const FrameGrid grid_;
  const int bytes_;
  std::deque<Chunk> chunks_;
  uint64_t until_ = 0;
  uint64_t read_until_ = 0;
  bool began_ = false;
  bool ended_ = false;
};

}  // namespace genclip
