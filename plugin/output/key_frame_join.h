// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which encoded frames an output takes: from a key frame on, and after an overflow from the next one on.
#pragma once

#include <cstdint>
#include <optional>

namespace genclip {

// Times in ns, of the channel; they may be negative.
struct FrameTimes {
  int64_t pts = 0;
  int64_t dts = 0;

  friend bool operator==(const FrameTimes &, const FrameTimes &) = default;
};

// Its answers count from the first key frame taken, whose DTS becomes 0, so that no muxer sees the age of the
// channel. An overflow does not begin a new count: the gap stays a gap. While the picture waits for its key
// frame, the sound continues: a muxer that has pictures waits for sound, and would keep that queue full
// forever. Not thread-safe.
class KeyFrameJoin {
 public:
  // `full`: the output's queue is. Nothing: the frame must not be taken.
  std::optional<FrameTimes> video(bool key_frame, FrameTimes times, bool full);
  std::optional<FrameTimes> audio(FrameTimes times, bool full);
  // A key frame was taken: something can leave.
  bool has_begun() const { return base_.has_value(); }

 private:
  FrameTimes counted(FrameTimes times) const;

  bool joined_ = false;
  std::optional<int64_t> base_;  // The DTS of the first key frame.
  int64_t begin_ = 0;            // The PTS of the key frame with which it joined last.
  int64_t sound_begin_ = 0;      // Of the first one.
};

}  // namespace genclip
