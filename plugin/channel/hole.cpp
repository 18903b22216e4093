// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/hole.h"

#include <algorithm>

namespace genclip {
namespace {

std::vector<Aired> ready_fallbacks(const Rundown &rundown, const Shelf &shelf) {
  std::vector<Aired> ready;
  for (size_t i = 0; i < rundown.fallback.size(); ++i) {
    ItemStatus status = shelf.status(fallback_id(i), 0);
    if (can_be_shown(status)) ready.push_back({fallback_id(i), "", std::move(status.media)});
  }
  return ready;
}

// `listed` and then `earlier`, as one round that begins with each hole; within each of the two the pieces
// take turns over all holes. Not what is on the air, if there is anything else. Nothing: both are empty.
const Aired *choose(const std::vector<Aired> &listed, const std::vector<Aired> &earlier, const Place &place,
                    const ReadyMedia *on_air) {
  const size_t round = listed.size() + earlier.size();
  if (round == 0) return nullptr;
  const bool is_listed = place.pieces_in_hole % round < listed.size();
  const auto &own = is_listed ? listed : earlier;
  const auto &other = is_listed ? earlier : listed;
  for (const auto *pieces : {&own, &other})
    for (size_t i = 0; i < pieces->size(); ++i)
      if (const Aired &piece = (*pieces)[static_cast<size_t>((place.fallbacks + i) % pieces->size())];
          !on_air || !have_same_source(*piece.media, *on_air))
        return &piece;
  return &own[static_cast<size_t>(place.fallbacks % own.size())];
}

}  // namespace

bool can_be_shown(const ItemStatus &status) {
  return status.media && (status.state == ItemState::ready || status.state == ItemState::cued ||
                          status.state == ItemState::on_air || status.state == ItemState::aired);
}

uint64_t frames_of(const ScheduleSettings &settings, const ReadyMedia &media) {
  return std::max<uint64_t>(frames_in(settings, media.length), 1);
}

Piece piece_for_hole(const Rundown &rundown, const Place &place, const Shelf &shelf,
                     const ScheduleSettings &settings, const Piece &on_air, uint64_t frame) {
  Piece piece;
  piece.start = frame;
  piece.frames = std::max<uint64_t>(settings.slate_step, 1);
  if (settings.fallback == Fallback::slate) return piece;
  const auto listed = ready_fallbacks(rundown, shelf);
  const Aired *chosen = choose(listed, place.earlier, place, on_air.media.get());
  if (!chosen) return piece;
  piece.kind = PieceKind::fallback;
  piece.id = chosen->id;
  piece.title = chosen->title;
  piece.media = chosen->media;
  piece.frames = frames_of(settings, *chosen->media);
  return piece;
}

}  // namespace genclip
