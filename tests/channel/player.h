// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Plays a rundown by the schedule alone: time jumps from cut to cut.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugin/channel/schedule.h"

namespace genclip::test {

// 2026-11-22 11:00:00 UTC.
inline constexpr Clock::WallTime kElevenOClock{std::chrono::seconds(1795345200)};

inline std::shared_ptr<const ReadyMedia> media_of(const std::string &name, std::chrono::nanoseconds length) {
  auto media = std::make_shared<ReadyMedia>();
  media->uri = media->source = "file:///" + name;
  media->length = length;
  return media;
}

class Player final : public Shelf {
 public:
  // Items "a", "b", ... with a file each; all are planned.
  explicit Player(const std::vector<std::string> &ids = {}) {
    for (const std::string &id : ids) add(id);
  }

  RundownItem &add(const std::string &id) {
    RundownItem item;
    item.id = id;
    item.source = "file:///" + id;
    rundown.items.push_back(item);
    rundown.reindex();
    return rundown.items.back();
  }
  void ready(const std::string &id, uint64_t frames) {
    statuses[id] = {ItemState::ready, "", media_of(id, time_of_frame(settings, frames))};
  }
  void state(const std::string &id, ItemState state) { statuses[id] = {state, "", nullptr}; }

  ItemStatus status(const std::string &id, uint64_t turn) const override {
    if (rule) return rule(id, turn);
    for (const std::string &key : {id + "#" + std::to_string(turn), id})
      if (const auto found = statuses.find(key); found != statuses.end()) return found->second;
    return {};
  }

  // Makes every cut before that frame. The first call begins the run.
  void play(uint64_t until) {
    if (!std::exchange(has_begun_, true)) place = moved({}, rundown, place, settings, clock.wall);
    while (!ended) {
      const Cut cut = next_cut(rundown, place, *this, settings, on_air, now, clock, skip);
      if (cut.frame >= until) break;
      now = cut.frame;
      take(cut);
    }
    now = std::max(now, until);
  }
  void load(const Rundown &other) {
    const auto played = std::chrono::duration_cast<Clock::WallTime::duration>(time_of_frame(settings, now));
    place = moved(rundown, other, place, settings, clock.wall + played);
    rundown = other;
  }

  // "a 0-100, slate 100-225", without what is on the air now.
  std::string shown() const {
    std::string text;
    for (const auto &[piece, end] : aired) {
      const std::string name = piece.kind == PieceKind::slate ? "slate" : piece.id;
      text += (text.empty() ? "" : ", ") + (piece.kind == PieceKind::fallback ? "(" + name + ")" : name) +
              " " + std::to_string(piece.start) + "-" + std::to_string(end);
    }
    return text;
  }
  // "b#0 failed".
  std::string told() const {
    std::string text;
    for (const PassedItem &item : passed)
      text += (text.empty() ? "" : ", ") + item.id + "#" + std::to_string(item.turn) + " " +
              to_word(item.status.state);
    return text;
  }

  Rundown rundown;
  Place place;
  ScheduleSettings settings;
  FrameTime clock{0, kElevenOClock};
  std::map<std::string, ItemStatus> statuses;                            // By ID, or by "ID#TURN".
  std::function<ItemStatus(const std::string &id, uint64_t turn)> rule;  // Instead of the statuses.
  Piece on_air;
  uint64_t now = 0;
  bool skip = false;
  bool ended = false;
  std::vector<std::pair<Piece, uint64_t>> aired;  // And the frame at which it ended.
  std::vector<PassedItem> passed;

 private:
  void take(const Cut &cut) {
    skip = false;
    if (on_air.frames > 0) aired.emplace_back(on_air, cut.frame);
    passed.insert(passed.end(), cut.passed.begin(), cut.passed.end());
    place = after(rundown, std::move(place), settings, cut);
    ended = !cut.piece;
    if (cut.piece) on_air = *cut.piece;
  }

  bool has_begun_ = false;
};

}  // namespace genclip::test
