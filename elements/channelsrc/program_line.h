// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which clip is on the air at which frame. Where there is none, there is the slate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plugin/channel/stage.h"

namespace genclip {

class DecodedClip;

// A clip's place on the line: frame `start` of the channel is frame 0 of the clip.
struct ProgramPiece {
  std::shared_ptr<DecodedClip> clip;
  CueId cue = 0;  // 0: a moving slate.
  uint64_t start = 0, end = 0;
};

// Not thread-safe. Clips that leave the line go to removed(), to be closed without a lock.
class ProgramLine {
 public:
  using Clips = std::vector<std::shared_ptr<DecodedClip>>;

  // What was there ends at the piece's start; the slate is behind it.
  void take(ProgramPiece piece);
  // The slate from `frame` on.
  void clear_from(uint64_t frame);
  // Fills the hole from `frame` on, until the next piece.
  void fill(std::shared_ptr<DecodedClip> clip, uint64_t frame);
  // The clip is not shown any more from `frame` on.
  void end_clip(const DecodedClip *clip, uint64_t frame);
  std::optional<ProgramPiece> at(uint64_t frame) const;

  // No output needs frames before that one any more.
  void forget_before(uint64_t frame);
  Clips removed() { return std::move(removed_); }

 private:
  void remove_empty(uint64_t before = 0);

  std::vector<ProgramPiece> pieces_;  // In their order; they do not overlap.
  Clips removed_;
};

}  // namespace genclip
