// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The decoded pictures of one clip, by the channel's frames.
//
// A picture is shown from the frame nearest to its time until the frame nearest to the next picture's time.
// So a clip of the channel's own rate keeps every picture whatever its file's rounding, slower ones repeat,
// and of two pictures for one frame the later one is shown. Which frames the last picture has is known when
// the next one, or the end, is there.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "elements/channelsrc/frame_grid.h"
#include "plugin/base/gref.h"

namespace genclip {

// Whether what was asked for is there. `ended`: it never will be.
enum class TrackAnswer { here, not_yet, ended };

// Not thread-safe.
class PictureTrack {
 public:
  // `is_still`: the last picture lasts for ever. `wanted`: how many frames are to be shown; if one or two are
  // missing at the end, for rounding, the last picture stands for them. `ends_at_hole`: where pictures are
  // missing for more than a second, the clip ends; otherwise the one before lasts so long.
  PictureTrack(const FrameGrid &grid, bool is_still, uint64_t wanted, bool ends_at_hole = false)
      : grid_(grid), is_still_(is_still), wanted_(wanted), ends_at_hole_(ends_at_hole) {}

  // `time`: from the beginning of the clip; `duration`: or GST_CLOCK_TIME_NONE.
  void add(GRef<GstBuffer> picture, GstClockTime time, GstClockTime duration);
  void end();
  void clear();

  struct Found {
    TrackAnswer answer = TrackAnswer::not_yet;
    GRef<GstBuffer> picture;
  };
  // Frames are asked for in their order: those before `index` are let go.
  Found at(uint64_t index);

  // Pictures that wait to be shown.
  size_t size() const { return entries_.size(); }
  bool has_first() const { return first_known_; }
  bool ended() const { return ended_; }
  bool has_hole() const { return has_hole_; }  // It ended there.
  // The clip's length in frames, when it has ended.
  uint64_t length() const { return known_until_; }

 private:
  struct Entry {
    GRef<GstBuffer> picture;
    uint64_t end;  // Frame. It begins where the one before it ends, the first one with the clip.
  };
  void close_pending(uint64_t end);
  bool is_behind_hole(GstClockTime time) const;

  const FrameGrid grid_;
  const bool is_still_;
  const uint64_t wanted_;
  const bool ends_at_hole_;
  struct Pending {
    GRef<GstBuffer> picture;
    uint64_t first;
    GstClockTime end;  // Or NONE.
  };
  std::optional<Pending> pending_;
  std::deque<Entry> entries_;
  uint64_t known_until_ = 0;
  bool first_known_ = false;
  bool ended_ = false;
  bool has_hole_ = false;
};

}  // namespace genclip
