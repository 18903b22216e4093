// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Plays the rundown ahead as if every item were ready that is not lost already.
#include <algorithm>

#include "plugin/channel/place.h"
#include "plugin/channel/schedule.h"
#include "plugin/channel/start_time.h"

namespace genclip {
namespace {

// Of very short items in a loop.
constexpr size_t kMostUpcoming = 10000;
// Nobody looks further for something to show.
constexpr size_t kMostPassedOver = 1000;

class Preview {
 public:
  Preview(const Rundown &rundown, const Place &place, const ScheduleSettings &settings,
          const FrameTime &clock, const LengthOf &length_of)
      : rundown_(rundown),
        place_(place),
        settings_(settings),
        clock_(clock),
        length_of_(length_of),
        position_(rundown.find(place.next).value_or(0)),
        turn_(place.turn) {
    for (const TimedStart &start : place.timed)
      if (const auto item = rundown.find(start.id))
        starts_.push_back({frame_of(start.next), start.next, *item, start.occurrence});
  }

  std::vector<Upcoming> behind(const Piece &from, size_t items, uint64_t frames) {
    frame_ = from.end();
    if (const Start *start = next_start_that_airs();
        start && start->frame < frame_ && (from.kind != PieceKind::clip || item_of(*start).late == Late::cut))
      frame_ = std::max(start->frame, from.start);
    const uint64_t limit = from.end() + frames;
    while ((shown_ < items || frame_ < limit) && out_.size() < std::max(items, kMostUpcoming) &&
           may_look_on())
      if (!step()) break;
    return std::move(out_);
  }

 private:
  struct Start {
    uint64_t frame;
    Clock::WallTime moment;
    size_t position;
    uint64_t occurrence;
  };

  uint64_t frame_of(Clock::WallTime moment) const { return frame_at(settings_, clock_, moment); }
  const RundownItem &item_of(const Start &start) const { return rundown_.items[start.position]; }

  // The earliest one that can still come.
  const Start *next_start_item() {
    while (first_start_ < starts_.size() && (!item_of(starts_[first_start_]).problem.empty() ||
                                             (!settings_.loop && starts_[first_start_].position < position_)))
      ++first_start_;
    return first_start_ < starts_.size() ? &starts_[first_start_] : nullptr;
  }

  const Start *next_start_that_airs() {
    if (!next_start_item()) return nullptr;
    const auto airs = std::find_if(
        starts_.begin() + static_cast<ptrdiff_t>(first_start_), starts_.end(), [this](const Start &start) {
          return item_of(start).problem.empty() && (settings_.loop || start.position >= position_) &&
                 length_of_(item_of(start), start.occurrence);
        });
    return airs == starts_.end() ? nullptr : &*airs;
  }

  bool may_look_on() const { return passed_over_ < kMostPassedOver; }

  // False: it is passed over.
  bool add(size_t position, uint64_t turn) {
    const RundownItem &item = rundown_.items[position];
    const auto length = length_of_(item, turn);
    out_.push_back({item.id, turn, frame_, !length});
    if (!length) ++passed_over_;
    if (!length) return false;
    ++shown_;
    const uint64_t end = frame_ + std::max<uint64_t>(*length, 1);
    const Start *start = next_start_that_airs();
    const bool is_cut = start && start->frame < end && item_of(*start).late == Late::cut;
    frame_ = is_cut ? std::max(start->frame, frame_ + 1) : end;
    return true;
  }

  // Adds an item, or moves the frame to where one begins. False: nothing is left.
  bool step() {
    const Start *next = next_start_item();
    if (next && next->frame <= frame_) {
      const Start start = *next;
      take_start(start);
      // In a rundown that ends, one that is passed over loses its turn in its order, as others do.
      if (!settings_.loop && !length_of_(item_of(start), start.occurrence)) return true;
      if (!settings_.loop) position_ = start.position + 1;
      add(start.position, start.occurrence);
      return true;
    }
    const size_t size = rundown_.items.size();
    for (size_t steps = 0; steps < size && may_look_on(); ++steps) {
      if (position_ >= size && !settings_.loop) break;
      if (position_ >= size) {
        position_ = 0;
        ++turn_;
      }
      const size_t position = position_;
      const RundownItem &item = rundown_.items[position];
      if (next && !settings_.loop && next->position == position) break;
      ++position_;
      if (!item.problem.empty()) continue;
      if (settings_.loop && item.at && !place_.in_order.contains(item.id)) continue;
      if (add(position, turn_of(place_, item, settings_.loop, turn_))) return true;
    }
    if (next) frame_ = next->frame;
    return next != nullptr;
  }

  void take_start(const Start &start) {
    ++first_start_;
    if (!settings_.loop) return;
    const auto again =
        next_start(*item_of(start).at, std::max(start.moment, wall_at(settings_, clock_, frame_)));
    if (!again) return;
    const Start later{frame_of(*again), *again, start.position, start.occurrence + 1};
    starts_.insert(
        std::upper_bound(starts_.begin() + static_cast<ptrdiff_t>(first_start_), starts_.end(), later,
                         [](const Start &a, const Start &b) { return a.moment < b.moment; }),
        later);
  }

  const Rundown &rundown_;
  const Place &place_;
  const ScheduleSettings &settings_;
  const FrameTime &clock_;
  const LengthOf &length_of_;
  size_t position_;
  uint64_t turn_;
  uint64_t frame_ = 0;
  std::vector<Start> starts_;  // From first_start_ on those to come, the earliest first.
  size_t first_start_ = 0;
  size_t shown_ = 0;        // Of what is out,
  size_t passed_over_ = 0;  // and how many are not.
  std::vector<Upcoming> out_;
};

}  // namespace

std::vector<Upcoming> upcoming(const Rundown &rundown, const Place &place, const ScheduleSettings &settings,
                               const Piece &from, const FrameTime &clock, size_t items, uint64_t frames,
                               const LengthOf &length_of) {
  if (place.ended) return {};
  return Preview(rundown, place, settings, clock, length_of).behind(from, items, frames);
}

}  // namespace genclip
