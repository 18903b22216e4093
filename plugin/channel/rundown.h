// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A rundown: what a channel shows, in which order and when.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/words.h"

namespace genclip {

// When an item is generated anew: never, or for each turn of a rundown that loops.
enum class Fresh { never, each_turn };
template <>
inline constexpr Word<Fresh> kWords<Fresh>[] = {{Fresh::never, "never"}, {Fresh::each_turn, "each-turn"}};

// What an item with a start time does to the clip that is on the air then.
enum class Late { after, cut };
template <>
inline constexpr Word<Late> kWords<Late>[] = {{Late::after, "after"}, {Late::cut, "cut"}};

struct StartTime {
  std::optional<Clock::WallTime> moment;
  // Where there is no moment: the time of each day, in the local time zone.
  std::chrono::milliseconds of_day{};

  friend bool operator==(const StartTime &, const StartTime &) = default;
};

struct RundownItem {
  // Unique in the rundown. An item without one gets one that is made of its source, so that it stays the same
  // when other items come and go.
  std::string id;
  std::string title;   // May be empty.
  std::string source;  // A URI. A path of the file became one, relative to the rundown's folder.
  // Where in the source the item begins, and how long it lasts; nothing: to the source's end. A still has a
  // length, or `problem` says that it lacks one as soon as that is known.
  std::chrono::nanoseconds in{};
  std::optional<std::chrono::nanoseconds> length;
  // The length counts for a still alone: M3U files round it.
  bool is_length_of_still = false;
  // How long a clip lasts that its request makes, from `in` on, as far as the request or its model tells.
  std::optional<std::chrono::nanoseconds> expected_length;
  Fresh fresh = Fresh::never;
  std::optional<StartTime> at;
  Late late = Late::after;
  bool retry = false;   // One more try if its task fails.
  unsigned line = 0;    // Of the file, from 1; 0: the item came by a call.
  std::string problem;  // Why it can never be on the air: it is told and skipped. Empty: nothing is known.

  friend bool operator==(const RundownItem &, const RundownItem &) = default;
};

struct RundownLine {
  unsigned line = 0;  // From 1; 0: of no line.
  std::string text;   // A sentence.

  friend bool operator==(const RundownLine &, const RundownLine &) = default;
};

struct RefusedFallback {
  std::string source;
  std::string problem;  // A sentence.
};

// After a change of `items`, call reindex().
struct Rundown {
  std::string channel;  // Its name; may be empty.
  std::string date;     // As the file has it; may be empty.
  std::vector<RundownItem> items;
  std::vector<std::string> fallback;                   // URIs.
  std::vector<RefusedFallback> refused_fallback = {};  // Those that are left out.
  std::vector<RundownLine> warnings;                   // Members that are not known, and the like.

  // Where each item is: reindex() makes it.
  std::map<std::string, size_t, std::less<>> positions = {};

  // The item of that ID; nothing: there is none.
  std::optional<size_t> find(std::string_view id) const;
  void reindex();
};

// Puts the item behind the one of the ID `after`; with an empty ID, before the one of the ID `next`, or as
// the first one if that is empty. Behind all others if there is no such ID. An item of the same ID goes.
void insert_item(Rundown &rundown, RundownItem item, std::string_view after, std::string_view next);

}  // namespace genclip
