// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/place.h"

#include <algorithm>
#include <unordered_map>

#include "plugin/channel/start_time.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;

// Of the state file, or of a first run. What the rundown was then is not known, only what was shown last.
size_t position_at_start(const Rundown &now, const Place &place) {
  if (const auto next = place.ended ? std::nullopt : now.find(place.next)) return *next;
  if (const auto last = now.find(place.last)) return *last + 1;
  // An ended rundown from which that item has gone is taken for another one, which is to be shown.
  return place.ended && place.last.empty() ? now.items.size() : 0;
}

// Where the item whose turn it is, or what takes its place, is in the new rundown; its size: nothing is left.
size_t position_in(const Rundown &before, const Rundown &now, const Place &place) {
  if (before.items.empty()) return position_at_start(now, place);
  if (!place.ended && place.next.empty()) return 0;
  const auto same = place.ended ? std::nullopt : now.find(place.next);
  if (same) return *same;
  const auto old = place.ended ? before.items.size() : before.find(place.next);
  if (!old) return 0;
  for (size_t i = *old; i < before.items.size(); ++i)
    if (const auto next = now.find(before.items[i].id)) return *next;
  for (size_t i = *old; i > 0; --i)
    if (const auto last = now.find(before.items[i - 1].id)) return *last + 1;
  return 0;
}

// New items directly before a position have their turn first.
size_t first_new_before(const Rundown &before, const Rundown &now, size_t position) {
  while (position > 0 && !before.find(now.items[position - 1].id)) --position;
  return position;
}

void move_position(const Rundown &before, const Rundown &now, bool loop, Place &place) {
  const std::string next = place.next;
  size_t position = position_in(before, now, place);
  if (!before.items.empty()) position = first_new_before(before, now, position);
  if (position == 0 && loop && place.turn > 0 && !before.items.empty()) {
    // The rundown has just begun again: what was added at its end belongs to the turn before.
    const size_t added = first_new_before(before, now, now.items.size());
    if (added > 0 && added < now.items.size()) {
      position = added;
      --place.turn;
      place.has_shown = true;
    }
  }
  if (position == now.items.size() && loop) {
    position = 0;
    ++place.turn;
    place.has_shown = false;
  }
  place.ended = position == now.items.size() && !loop;
  place.next = position < now.items.size() ? now.items[position].id : "";
  if (place.next != next) place.waiting_since.reset();
  place.told = 0;
  // What is new would not be told.
  if (position > 0) place.has_shown = true;
}

bool is_moment_of(const StartTime &at, Clock::WallTime moment) {
  return next_start(at, moment - milliseconds(1)) == moment;
}

// Two machines' clocks differ. A moment that is so near may have been on the air by the other one's.
constexpr auto kClocksDiffer = std::chrono::minutes(1);

// The moment that a state file has for an item, or an earlier one: the clock may have been ahead then.
Clock::WallTime still_to_come(const StartTime &at, Clock::WallTime known, Clock::WallTime loaded) {
  return std::min(known, next_start(at, loaded + kClocksDiffer).value_or(known));
}

void sort_starts(Place &place) {
  std::stable_sort(place.timed.begin(), place.timed.end(),
                   [](const TimedStart &a, const TimedStart &b) { return a.next < b.next; });
}

std::unordered_map<std::string, uint64_t> counts_over(const Place &place) {
  std::unordered_map<std::string, uint64_t> counts;
  for (const StartsOver &over : place.starts_over) counts.emplace(over.id, over.count);
  return counts;
}

uint64_t count_in(const std::unordered_map<std::string, uint64_t> &counts, const std::string &id) {
  const auto found = counts.find(id);
  return found == counts.end() ? 0 : found->second;
}

void move_starts(const Rundown &before, const Rundown &now, const ScheduleSettings &settings,
                 Clock::WallTime loaded, Place &place) {
  std::unordered_map<std::string, TimedStart> known;
  for (TimedStart &start : place.timed) known.emplace(start.id, start);
  const auto over = counts_over(place);
  std::set<std::string, std::less<>> in_order;
  place.timed.clear();
  for (const RundownItem &item : now.items) {
    if (!item.at) continue;
    const auto entry = known.find(item.id);
    const auto old = before.find(item.id);
    if (old && before.items[*old].at == item.at) {
      // A moment that is in neither list is over.
      if (entry != known.end()) place.timed.push_back(entry->second);
      if (place.in_order.contains(item.id)) in_order.insert(item.id);
      continue;
    }
    TimedStart start{item.id, loaded,
                     entry != known.end() ? entry->second.occurrence : count_in(over, item.id)};
    const bool is_of_state_file = before.items.empty() && entry != known.end() &&
                                  is_moment_of(*item.at, entry->second.next) &&
                                  entry->second.next + time_of_frame(settings, settings.patience) >= loaded;
    const auto next = is_of_state_file ? std::optional(still_to_come(*item.at, entry->second.next, loaded))
                                       : next_start(*item.at, loaded - milliseconds(1));
    if (next) {
      start.next = *next;
      place.timed.push_back(std::move(start));
    } else {
      in_order.insert(item.id);
    }
  }
  for (const auto &[id, start] : known)
    if (const auto item = now.find(id); !item || !now.items[*item].at)
      note_starts_over(place, id, start.occurrence);
  place.in_order = std::move(in_order);
  sort_starts(place);
}

// The name of an item that has gone: no item has it, because an ID has one line.
std::string gone(const std::string &id) { return id + "\n"; }

}  // namespace

void add_start(Place &place, TimedStart start) {
  const auto later = std::upper_bound(place.timed.begin(), place.timed.end(), start,
                                      [](const auto &a, const auto &b) { return a.next < b.next; });
  place.timed.insert(later, std::move(start));
}

void note_starts_over(Place &place, const std::string &id, uint64_t count) {
  if (count == 0) return;
  std::erase_if(place.starts_over, [&](const StartsOver &over) { return over.id == id; });
  if (place.starts_over.size() == kMaxStartsOver) place.starts_over.erase(place.starts_over.begin());
  place.starts_over.push_back({id, count});
}

uint64_t turn_of(const Place &place, const RundownItem &item, bool loop, uint64_t turn) {
  if (loop || !item.at) return turn;
  const auto start = std::ranges::find(place.timed, item.id, &TimedStart::id);
  return start == place.timed.end() ? turn : start->occurrence;
}

void drop_starts_before(const Rundown &rundown, Place &place) {
  const size_t position = place.ended ? rundown.items.size() : rundown.find(place.next).value_or(0);
  std::erase_if(place.timed, [&](const TimedStart &start) {
    const auto item = rundown.find(start.id);
    return !item || *item < position;
  });
}

Place moved(const Rundown &before, const Rundown &now, Place place, const ScheduleSettings &settings,
            Clock::WallTime loaded, const std::string &inserted) {
  if (const auto old = inserted.empty() ? std::nullopt : before.find(inserted)) {
    Rundown known = before;
    known.items[*old].id = gone(inserted);
    known.reindex();
    if (place.next == inserted) place.next = gone(inserted);
    return moved(known, now, std::move(place), settings, loaded);
  }
  move_position(before, now, settings.loop, place);
  move_starts(before, now, settings, loaded, place);
  if (!settings.loop) drop_starts_before(now, place);
  return place;
}

Place set_back(const Rundown &rundown, Place place, const ScheduleSettings &settings, Clock::WallTime wall) {
  std::unordered_map<std::string, TimedStart> known;
  for (TimedStart &start : place.timed) known.emplace(start.id, start);
  const auto over = counts_over(place);
  for (const RundownItem &item : rundown.items) {
    if (!item.at) continue;
    const auto next = next_start(*item.at, wall - milliseconds(1));
    if (!next) continue;
    const TimedStart fresh{item.id, *next, count_in(over, item.id)};
    TimedStart &start = known.try_emplace(item.id, fresh).first->second;
    start.next = std::min(start.next, *next);
    place.in_order.erase(item.id);
  }
  place.timed.clear();
  for (const RundownItem &item : rundown.items)
    if (const auto start = known.find(item.id); start != known.end()) place.timed.push_back(start->second);
  sort_starts(place);
  if (!settings.loop) drop_starts_before(rundown, place);
  return place;
}

}  // namespace genclip
