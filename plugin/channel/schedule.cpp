// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An answer has three steps: the frame at which the piece on the air ends; an item with a start time that is
// due there; the first item in the rundown's order that can be shown. The last one goes once round the
// rundown at most: what it finds to be passed over is told with the cut that moves the place behind it.
#include "plugin/channel/schedule.h"

#include <algorithm>

#include "plugin/base/utc_time.h"
#include "plugin/channel/hole.h"
#include "plugin/channel/place.h"
#include "plugin/channel/start_time.h"

namespace genclip {
namespace {

std::string why_missing(const ItemStatus &status) {
  if (!status.reason.empty()) return status.reason;
  return std::string("The item is not ready: ") + to_word(status.state) + ".";
}

// An item that is further behind one that is waited for is not looked at: nobody makes it ready so early, and
// a long rundown would be searched again and again.
constexpr size_t kMostAhead = 1000;
constexpr auto kLongestLastWait = std::chrono::hours(1);

// Goes from item to item.
struct Cursor {
  size_t position = 0;
  uint64_t turn = 0;
  bool has_shown = false;
  size_t told = 0;  // How many from here on were told.

  void step(size_t size, bool loop) {
    told -= std::min<size_t>(told, 1);
    if (++position < size || !loop) return;
    position = 0;
    if (!has_shown) told = size;
    if (has_shown) ++turn;
    has_shown = false;
  }
};

// What the rundown's order says about a frame.
struct Found {
  enum class What {
    show,     // The item at the cursor.
    wait,     // For the item at the cursor.
    nothing,  // No item can be shown, now or later.
  };
  What what = What::nothing;
  size_t steps = 0;  // From the place to the cursor.
  Cursor cursor = {};
  ItemStatus status = {};
  std::optional<uint64_t> missing_since = {};  // While waiting for an item that should be there.
};

class Search {
 public:
  Search(const Rundown &rundown, const Place &place, const Shelf &shelf, const ScheduleSettings &settings,
         const Piece &on_air, uint64_t earliest, const FrameTime &clock)
      : rundown_(rundown),
        place_(place),
        shelf_(shelf),
        settings_(settings),
        on_air_(on_air),
        earliest_(std::max(earliest, on_air.start + std::min<uint64_t>(on_air.frames, 1))),
        clock_(clock),
        first_(rundown.find(place.next).value_or(0)) {}

  Cut cut(bool skip) {
    const bool ends_at_once = skip || (place_.hold && on_air_.kind == PieceKind::clip);
    cut_.frame = ends_at_once ? earliest_ : std::max(earliest_, on_air_.end());
    if (place_.hold) {
      fill("A fallback was asked for by hand.", place_.next);
    } else if (!place_.ended && !show_what_ends_on_air() && !show_what_is_due()) {
      go_on_in_order();
    }
    cut_.wall = wall_at(settings_, clock_, cut_.frame);
    return std::move(cut_);
  }

 private:
  ItemStatus status_of(const RundownItem &item, uint64_t turn) const {
    if (!item.problem.empty()) return {ItemState::refused, item.problem, nullptr};
    return shelf_.status(item.id, turn);
  }
  const RundownItem &item_at(const Cursor &cursor) const { return rundown_.items[cursor.position]; }
  uint64_t turn_at(const Cursor &cursor) const {
    return turn_of(place_, item_at(cursor), settings_.loop, cursor.turn);
  }
  ItemStatus status_at(const Cursor &cursor) const { return status_of(item_at(cursor), turn_at(cursor)); }
  Cursor first() const { return {first_, place_.turn, place_.has_shown, place_.told}; }
  void step(Cursor &cursor) const { cursor.step(rundown_.items.size(), settings_.loop); }
  uint64_t frame_of(const TimedStart &start) const { return frame_at(settings_, clock_, start.next); }
  bool is_timed(const RundownItem &item) const { return item.at && !place_.in_order.contains(item.id); }

  // The earliest start time of an item that is not refused. Null: none is to come.
  const TimedStart *next_timed() const {
    const auto next = std::find_if(place_.timed.begin(), place_.timed.end(), [this](const TimedStart &start) {
      const auto position = rundown_.find(start.id);
      return position && rundown_.items[*position].problem.empty();
    });
    return next == place_.timed.end() ? nullptr : &*next;
  }

  bool goes_round_without(const RundownItem &item) const { return settings_.loop && is_timed(item); }

  std::optional<size_t> position_of(const TimedStart &start) const {
    const auto position = rundown_.find(start.id);
    return position && !settings_.loop && *position < first_ ? std::nullopt : position;
  }

  // Whether that item may end the piece on the air instead of waiting for its end.
  bool ends_on_air(const RundownItem &item, const TimedStart &start) const {
    if (on_air_.kind != PieceKind::clip) return true;
    if (item.late != Late::cut || earliest_ > frame_of(start) + settings_.patience) return false;
    if (!on_air_.planned_at) return true;
    // Two items whose time has come do not cut each other, nor do those of one moment, for which the clock
    // may show another frame than it did.
    return *on_air_.planned_at < start.next && on_air_.start < frame_of(start);
  }

  bool show_what_ends_on_air() {
    for (const TimedStart &start : place_.timed) {
      const uint64_t frame = frame_of(start);
      if (frame > cut_.frame) return false;
      const auto position = position_of(start);
      if (!position || !ends_on_air(rundown_.items[*position], start)) continue;
      if (ItemStatus status = status_of(rundown_.items[*position], start.occurrence); can_be_shown(status)) {
        cut_.frame = std::max(frame, earliest_);
        show_timed(start, *position, std::move(status));
        return true;
      }
    }
    return false;
  }

  bool show_what_is_due() {
    const TimedStart *waits = nullptr;
    ItemStatus missing;
    for (const TimedStart &start : place_.timed) {
      const uint64_t frame = frame_of(start);
      if (frame > cut_.frame) break;
      const auto position = position_of(start);
      if (!position) continue;
      ItemStatus status = status_of(rundown_.items[*position], start.occurrence);
      if (can_be_shown(status)) {
        show_timed(start, *position, std::move(status));
        return true;
      }
      // In a rundown that ends, it loses its turn in its order, as others do.
      if (!settings_.loop) continue;
      if (!may_become_ready(status.state) || cut_.frame >= frame + settings_.patience) {
        cut_.passed.push_back({start.id, start.occurrence, std::move(status)});
        cut_.timed.push_back(start.id);
      } else if (!waits) {
        waits = &start;
        missing = std::move(status);
      }
    }
    if (waits) fill(why_missing(missing), waits->id);
    return waits != nullptr;
  }

  void show_timed(const TimedStart &start, size_t position, ItemStatus status) {
    show(rundown_.items[position], start.occurrence, std::move(status));
    cut_.piece->planned_at = start.next;
    cut_.timed.push_back(start.id);
    if (settings_.loop) return;
    Cursor cursor = first();
    for (; cursor.position < position; step(cursor)) {
      ItemStatus lost = status_at(cursor);
      if (can_be_shown(lost) || may_become_ready(lost.state))
        lost = {ItemState::skipped, "The item " + start.id + " started at its time.", nullptr};
      if (cursor.told == 0) cut_.passed.push_back({item_at(cursor).id, turn_at(cursor), std::move(lost)});
    }
    move_behind(cursor);
  }

  void go_on_in_order() {
    const Found found = look();
    Cursor cursor = first();
    for (size_t i = 0; i < found.steps; ++i, step(cursor))
      if (cursor.told == 0 && !goes_round_without(item_at(cursor)))
        cut_.passed.push_back({item_at(cursor).id, turn_at(cursor), status_at(cursor)});
    switch (found.what) {
      case Found::What::show:
        show(item_at(found.cursor), turn_at(found.cursor), found.status);
        move_behind(found.cursor);
        break;
      case Found::What::wait:
        move_to(found.cursor);
        cut_.position->waiting_since = found.missing_since;
        fill(why_missing(found.status), item_at(found.cursor).id);
        break;
      case Found::What::nothing:
        // To the place, or to the end of a turn that does not count and goes on.
        cut_.position =
            Position{place_.next,     place_.turn,  place_.has_shown,
                     !settings_.loop, std::nullopt, rundown_.items.size() - (place_.has_shown ? 0 : first_)};
        if (settings_.loop) fill_for_nothing();
        break;
    }
  }

  // The first item in order that is shown at the cut's frame, or the one to wait for.
  Found look() const {
    const size_t size = rundown_.items.size();
    const size_t all = settings_.loop ? size : size - std::min(first_, size);
    const TimedStart *const next = settings_.loop ? nullptr : next_timed();
    std::optional<Found> waits;
    bool is_patient = false;
    bool others_may_come = false;
    Cursor cursor = first();
    for (size_t steps = 0; steps < all && !is_patient; ++steps, step(cursor)) {
      const RundownItem &item = item_at(cursor);
      if (goes_round_without(item)) continue;
      // The items before the next start time come before it, and no other comes until then.
      const TimedStart *barrier = next && next->id == item.id ? next : nullptr;
      const bool is_early = barrier && frame_of(*barrier) > cut_.frame;
      if (is_early || (waits && steps - waits->steps > kMostAhead)) {
        others_may_come = true;
        if (!waits) waits = {Found::What::wait, steps, cursor, until(*barrier), std::nullopt};
        break;
      }
      ItemStatus status = status_at(cursor);
      if (can_be_shown(status)) return {Found::What::show, steps, cursor, std::move(status), std::nullopt};
      if (!may_become_ready(status.state)) continue;
      if (waits) {
        others_may_come = true;
        continue;
      }
      uint64_t since = barrier ? frame_of(*barrier) : cut_.frame;
      if (steps == 0 && place_.waiting_since) since = *place_.waiting_since;
      is_patient = cut_.frame < since + settings_.patience;
      waits = Found{Found::What::wait, steps, cursor, std::move(status), since};
    }
    // The end does not come before a clip that is paid, or may be; but what hangs has no end of its own.
    const bool is_last_to_come = waits && waits->missing_since && is_being_made(waits->status.state) &&
                                 cut_.frame < *waits->missing_since + frames_in(settings_, kLongestLastWait);
    if (waits && (settings_.loop || is_patient || others_may_come || is_last_to_come)) return *waits;
    return {Found::What::nothing, all};
  }

  static ItemStatus until(const TimedStart &start) {
    return {ItemState::planned, "The item starts at " + utc_text(to_utc(start.next)) + ".", nullptr};
  }

  void move_to(const Cursor &cursor) {
    cut_.position =
        Position{item_at(cursor).id, cursor.turn, cursor.has_shown, false, std::nullopt, cursor.told};
  }
  void move_behind(Cursor cursor) {
    cursor.has_shown = true;
    step(cursor);
    if (cursor.position < rundown_.items.size())
      move_to(cursor);
    else
      cut_.position = Position{"", cursor.turn, true, true, std::nullopt, 0};
  }

  void show(const RundownItem &item, uint64_t turn, ItemStatus status) {
    Piece piece;
    piece.kind = PieceKind::clip;
    piece.id = item.id;
    piece.turn = turn;
    piece.title = item.title;
    piece.start = cut_.frame;
    piece.frames = frames_of(settings_, *status.media);
    piece.media = std::move(status.media);
    cut_.piece = std::move(piece);
  }

  void fill(std::string reason, std::string stands_for) {
    cut_.piece = piece_for_hole(rundown_, place_, shelf_, settings_, on_air_, cut_.frame);
    cut_.piece->reason = std::move(reason);
    cut_.piece->stands_for = std::move(stands_for);
  }
  void fill_for_nothing() {
    Cursor cursor = first();
    for (size_t i = 0; i < rundown_.items.size(); ++i, step(cursor))
      if (const RundownItem &item = item_at(cursor); !is_timed(item))
        return fill("No item can be shown. " + why_missing(status_at(cursor)), item.id);
    const TimedStart *start = next_timed();
    if (!start) return fill("The rundown has no item that is still to come.", "");
    fill(until(*start).reason, start->id);
  }

  const Rundown &rundown_;
  const Place &place_;
  const Shelf &shelf_;
  const ScheduleSettings &settings_;
  const Piece &on_air_;
  const uint64_t earliest_;
  const FrameTime &clock_;
  const size_t first_;  // The position of the item whose turn it is.
  Cut cut_;
};

void note_aired(Place &place, const Piece &piece) {
  std::erase_if(place.earlier,
                [&](const Aired &each) { return have_same_source(*each.media, *piece.media); });
  if (place.earlier.size() == kMaxEarlier) place.earlier.erase(place.earlier.begin());
  place.earlier.push_back({piece.id, piece.title, piece.media});
}

// The start time is over: in a rundown that loops, the next one counts that is to come at that time. Days
// that are over are no turns: a clock that is set forward by a week brings the item once.
void advance(const Rundown &rundown, Place &place, bool loop, const std::string &id, Clock::WallTime wall) {
  const auto start = std::find_if(place.timed.begin(), place.timed.end(),
                                  [&](const TimedStart &each) { return each.id == id; });
  if (start == place.timed.end()) return;
  TimedStart next = *start;
  place.timed.erase(start);
  ++next.occurrence;
  const auto position = rundown.find(id);
  const auto at = position ? rundown.items[*position].at : std::nullopt;
  const auto moment = loop && at ? next_start(*at, std::max(next.next, wall)) : std::nullopt;
  if (!moment) return note_starts_over(place, id, next.occurrence);
  next.next = *moment;
  add_start(place, std::move(next));
}

}  // namespace

Cut next_cut(const Rundown &rundown, const Place &place, const Shelf &shelf, const ScheduleSettings &settings,
             const Piece &on_air, uint64_t earliest, const FrameTime &clock, bool skip) {
  return Search(rundown, place, shelf, settings, on_air, earliest, clock).cut(skip);
}

Place after(const Rundown &rundown, Place place, const ScheduleSettings &settings, const Cut &cut) {
  if (cut.position) static_cast<Position &>(place) = *cut.position;
  for (const std::string &id : cut.timed) advance(rundown, place, settings.loop, id, cut.wall);
  if (!settings.loop) drop_starts_before(rundown, place);
  if (!cut.piece) return place;
  switch (cut.piece->kind) {
    case PieceKind::clip:
      if (cut.position) place.last = cut.piece->id;
      note_aired(place, *cut.piece);
      place.pieces_in_hole = 0;
      break;
    case PieceKind::fallback:
      ++place.fallbacks;
      ++place.pieces_in_hole;
      break;
    case PieceKind::slate: break;
  }
  return place;
}

}  // namespace genclip
