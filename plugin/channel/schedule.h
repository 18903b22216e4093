// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a channel shows next, and from which frame: pure functions of the rundown, the place in it, the shelf
// and the frame.
//
// The rundown's items follow each other without a gap. An item whose turn has come but which is not ready
// keeps its place for `patience`, while a fallback is on the air; then the next item that is ready is taken,
// and the one that was passed over has its turn when the rundown has begun again. Nothing ready: the fallback
// goes on, and the place waits.
//
// An item with a start time (`at`) starts then. A rundown that loops goes round without such items. In a
// rundown that ends, the items before it come before it, and the items after it come after it: the channel
// waits with the fallback if there is time left, and passes over what did not fit. There the earliest start
// time counts: an item before it in the rundown whose own time is later is shown in order. So a day's rundown
// that is loaded at noon does not wait for the morning of the next day.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/words.h"
#include "plugin/channel/rundown.h"
#include "plugin/channel/shelf.h"

namespace genclip {

// What fills a hole: clips that aired earlier, or the slate alone.
enum class Fallback { earlier, slate };
template <>
inline constexpr Word<Fallback> kWords<Fallback>[] = {{Fallback::earlier, "earlier"},
                                                      {Fallback::slate, "slate"}};

enum class PieceKind { clip, fallback, slate };
template <>
inline constexpr Word<PieceKind> kWords<PieceKind>[] = {
    {PieceKind::clip, "clip"}, {PieceKind::fallback, "fallback"}, {PieceKind::slate, "slate"}};

// One thing on the air, from one frame to another.
struct Piece {
  PieceKind kind = PieceKind::slate;
  std::string id;                           // Of the item, or fallback_id(), or empty for the slate.
  uint64_t turn = 0;                        // Of an item.
  std::string title;                        // May be empty.
  std::shared_ptr<const ReadyMedia> media;  // None for the slate.
  uint64_t start = 0;                       // Frame.
  uint64_t frames = 0;                      // How long it lasts if nothing ends it.
  std::string stands_for;  // Of a fallback or slate: the ID of the item whose place it fills.
  std::string reason;      // And why: a sentence.
  std::optional<Clock::WallTime> planned_at;  // Of an item with a start time.

  uint64_t end() const { return start + frames; }
};

struct ScheduleSettings {
  uint64_t fps_n = 25, fps_d = 1;  // Frames per second.
  Fallback fallback = Fallback::earlier;
  uint64_t patience = 60 * 25;   // Frames.
  uint64_t slate_step = 5 * 25;  // Frames.
  bool loop = true;
};

// That frame is shown at that time of day.
struct FrameTime {
  uint64_t frame = 0;
  Clock::WallTime wall;
};

// Whose turn it is.
struct Position {
  std::string next;  // ID of an item; empty: of the first one.
  // How many times the rundown has begun again after a turn in which something was shown. Another turn does
  // not count: nobody is to pay for a channel that shows nothing.
  uint64_t turn = 0;
  bool has_shown = false;  // Something was shown in order in this turn.
  bool ended = false;      // No item is left: the rundown does not loop.
  // The frame from which `next` should have been shown; nothing: it is not missing.
  std::optional<uint64_t> waiting_since;
  // How many items from `next` on have been told as passed over in this turn, because the place went round
  // without anything to show. They are not told again.
  size_t told = 0;
};

// When an item with a start time is to start.
struct TimedStart {
  std::string id;
  Clock::WallTime next;
  // How many times it had such a moment before: what `turn` is for other items.
  uint64_t occurrence = 0;

  friend bool operator==(const TimedStart &, const TimedStart &) = default;
};

// How many start times of an item are over, of one that has none to come: it may get others.
struct StartsOver {
  std::string id;
  uint64_t count = 0;

  friend bool operator==(const StartsOver &, const StartsOver &) = default;
};
inline constexpr size_t kMaxStartsOver = 1000;

// What has aired, to be repeated.
struct Aired {
  std::string id;
  std::string title;
  std::shared_ptr<const ReadyMedia> media;
};
inline constexpr size_t kMaxEarlier = 32;

// Where the channel is in its rundown: a plain value, which the state file keeps. moved() makes the first one
// too: it knows the start times.
struct Place : Position {
  // A fallback by hand: it ends the clip that is on the air. When it is false again, the rundown goes on
  // behind the piece of fallback that is on.
  bool hold = false;
  std::string last;  // ID of the item that was shown last in the rundown's order; empty: none.
  // Each source once, the latest last, at most kMaxEarlier.
  std::vector<Aired> earlier;
  uint64_t fallbacks = 0;         // How many pieces of fallback were taken: they take turns.
  uint64_t pieces_in_hole = 0;    // How many of them since the last clip.
  std::vector<TimedStart> timed;  // Start times that are to come, the earliest first.
  // Each item once, the latest last, at most kMaxStartsOver.
  std::vector<StartsOver> starts_over;
  // Items whose start time was past when the rundown was loaded: they are shown like those without.
  std::set<std::string, std::less<>> in_order;
};

// An item that lost its turn, or the moment at which it was to start.
struct PassedItem {
  std::string id;
  uint64_t turn = 0;
  ItemStatus status;  // With ItemState::skipped: it was passed over for an item whose time had come.
};

// What comes behind the piece on the air, and from which frame on; it may end that piece before its time.
struct Cut {
  uint64_t frame = 0;
  Clock::WallTime wall;            // At that frame.
  std::optional<Piece> piece;      // Its start is `frame`. Nothing: the channel ends at that frame.
  std::vector<PassedItem> passed;  // In their order, each once a turn.
  // For after(): the position behind it, nothing: as before; and the items whose start time is over.
  std::optional<Position> position;
  std::vector<std::string> timed;
};

// What is to be shown when nothing changes any more. `on_air`: the piece that is shown now, or whose cut is
// settled. `earliest`: the first frame at which a cut is still possible, so the result's frame is not below
// it. `clock`: of any frame. `skip`: `on_air` is to end as soon as possible.
// Pure. Call it again when something has changed; take() what it said last.
Cut next_cut(const Rundown &rundown, const Place &place, const Shelf &shelf, const ScheduleSettings &settings,
             const Piece &on_air, uint64_t earliest, const FrameTime &clock, bool skip = false);

// The place behind that cut. A cut without a `position`, which next_cut() has not made, moves nothing.
Place after(const Rundown &rundown, Place place, const ScheduleSettings &settings, const Cut &cut);

// The same place in another rundown, which is loaded at that time: by ID. If the item whose turn it is has
// gone, the next one of the old rundown that is still there has it, and if none is, what comes behind the
// last one before it; if that has gone too, the first of the new rundown. New items directly before it come
// first. With an empty `before`: the place at the start of a run, or as the state file had it. There, if the
// item whose turn it is has gone, or the rundown had ended, the one behind the last one shown has it.
// `inserted`: the item of that ID is new in `now`, also if `before` has one; empty: none is.
Place moved(const Rundown &before, const Rundown &now, Place place, const ScheduleSettings &settings,
            Clock::WallTime loaded, const std::string &inserted = "");

// The same place after a clock was set back to that time: start times that come again are to come. The others
// stay, so what is late comes late.
Place set_back(const Rundown &rundown, Place place, const ScheduleSettings &settings, Clock::WallTime wall);

// An item that is to come, and when if all are ready.
struct Upcoming {
  std::string id;
  uint64_t turn = 0;
  uint64_t frame = 0;
  bool is_passed_over = false;  // It is not shown in this turn, so the item behind it has the same frame.
};
// What follows `from` if nothing else fails, from frame `from.end()` on: at least `items` items, and all that
// begin within `frames`; fewer when the rundown ends. Those that are passed over are told too, and do not
// count. `length_of`: an item's length in frames in that turn, as far as it is known; nothing: it is passed
// over.
using LengthOf = std::function<std::optional<uint64_t>(const RundownItem &, uint64_t turn)>;
std::vector<Upcoming> upcoming(const Rundown &rundown, const Place &place, const ScheduleSettings &settings,
                               const Piece &from, const FrameTime &clock, size_t items, uint64_t frames,
                               const LengthOf &length_of);

// Exact. The time at which a frame begins, to the nearest nanosecond as the playout has it; and how many
// frames a length or a time is, rounded to the nearest one (below 0: none).
std::chrono::nanoseconds time_of_frame(const ScheduleSettings &settings, uint64_t frame);
uint64_t frames_in(const ScheduleSettings &settings, std::chrono::nanoseconds time);
// The frame that is shown at that time of day; 0: at that time the run had not begun.
uint64_t frame_at(const ScheduleSettings &settings, const FrameTime &clock, Clock::WallTime wall);
// The time of day at which a frame is shown.
Clock::WallTime wall_at(const ScheduleSettings &settings, const FrameTime &clock, uint64_t frame);

}  // namespace genclip
