// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/program_line.h"

#include <algorithm>
#include <utility>

namespace genclip {

void ProgramLine::remove_empty(uint64_t before) {
  std::erase_if(pieces_, [&](ProgramPiece &piece) {
    if (piece.end > piece.start && piece.end > before) return false;
    removed_.push_back(std::move(piece.clip));
    return true;
  });
}

void ProgramLine::clear_from(uint64_t frame) {
  for (ProgramPiece &piece : pieces_) piece.end = std::min(piece.end, frame);
  remove_empty();
}

void ProgramLine::take(ProgramPiece piece) {
  clear_from(piece.start);
  pieces_.push_back(std::move(piece));
}

void ProgramLine::fill(std::shared_ptr<DecodedClip> clip, uint64_t frame) {
  const auto next =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const auto &piece) { return piece.start > frame; });
  const uint64_t end = next == pieces_.end() ? UINT64_MAX : next->start;
  pieces_.insert(next, {std::move(clip), 0, frame, end});
}

void ProgramLine::end_clip(const DecodedClip *clip, uint64_t frame) {
  for (ProgramPiece &piece : pieces_)
    if (piece.clip.get() == clip) piece.end = std::min(piece.end, frame);
  remove_empty();
}

std::optional<ProgramPiece> ProgramLine::at(uint64_t frame) const {
  for (const ProgramPiece &piece : pieces_)
    if (piece.start <= frame && frame < piece.end) return piece;
  return std::nullopt;
}

void ProgramLine::forget_before(uint64_t frame) { remove_empty(frame); }

}  // namespace genclip
