// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is known of the sources of items in this run of the program: it outlives an item's place in the
// window, so that an item that comes and goes is not paid again.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/channel/item_state.h"
#include "plugin/channel/planned_wish.h"
#include "plugin/channel/source_verdict.h"

namespace genclip {

// Of one take of a source.
struct SourceMemory {
  SourceVerdict verdict;
  std::string reason;  // Of the verdict, or of the wait.
  bool is_foreign = false;
  bool hangs = false;         // Its last survey did not end.
  bool is_paid = false;       // A task of it exists: it is never submitted again.
  bool was_stored = false;    // It was at hand in this run: if the store has lost it, it is not paid again.
  bool is_unfetched = false;  // … and its clip could not be fetched,
  bool lacks_room = false;    //   because the disk was full.
  unsigned failures = 0;      // Of its task.
  unsigned resubmits = 0;     // In doubt.
  unsigned looks = 0;        // More than 0: it was let go while its task ran, so the store may know a failure
                             //   that nobody was told of. That many looks at the store are left.
  unsigned waits = 0;        // Since something went well.
  Clock::Time first_wait{};  // Of these.
  Clock::Time not_before{};  // Of the next try: to generate it, or to vet it again.

  bool bears_on_money() const {
    return !is_foreign &&
           (verdict.over() || is_paid || was_stored || failures > 0 || resubmits > 0 || looks > 0);
  }

  // The pauses grow.
  void wait(const std::string &why, Clock::Time now);
  void give_up(ItemState state, const std::string &why, bool until_reload);
  // Tries again what was given up, if that may be.
  void forgive();
  void reload(Clock::Time now);

  // Its clip is stored. `is_once`: it is made once, not for each turn.
  void stored(bool is_once);
  // Fit to be shown, or not yet.
  void vetted_well();
  void vetted_badly(const std::string &why, Clock::Time now);
  // It was not looked at, nor is it before.
  void put_off(const std::string &why, Clock::Time until);
  // Its survey does not end, or has ended. It is let be meanwhile, for pauses that grow.
  void hang(const std::string &why, Clock::Time now);
  void answer();
};

// Takes from `from` on, up to the one before `to`: none of them is stored, as far as this run knows.
struct MissingTakes {
  unsigned from = 0, to = 0;

  // What was found out later, or of later takes.
  void add(const MissingTakes &more) {
    from = std::max(from, more.from);
    to = std::max(to, more.to);
  }
  friend bool operator==(const MissingTakes &, const MissingTakes &) = default;
};

// Of all takes of a source that is generated for each turn: each take is another request, but one that fails
// says what the others would do.
struct SeriesMemory {
  bool has_worked = false;   // A take that this run has generated was fit to be shown.
  unsigned failures = 0;     // Of tasks, since one was fit.
  std::set<unsigned> unfit;  // Takes that are stored.
  MissingTakes missing;      // The last stored one is before them.
  SourceVerdict verdict;     // Over: no further take is submitted.
  std::string reason;
};

// A plain value; one thread.
class SourceMemories {
 public:
  // Items of the same name share what is known. Each item of foreign media has a name of its own.
  static std::string name_of(const PlannedWish &wish);
  // Whether both are takes of one source.
  static bool are_of_one_series(const PlannedWish &one, const PlannedWish &other);

  SourceMemory &of(const PlannedWish &wish);
  // Null: nothing is known.
  SourceMemory *find(const PlannedWish &wish);
  const SourceMemory *find(const PlannedWish &wish) const;
  // Null: the clip is made once.
  SeriesMemory *series_of(const PlannedWish &wish);
  // Null: nothing is known, or the clip is made once.
  const SeriesMemory *find_series(const PlannedWish &wish) const;
  void forget(const PlannedWish &wish) { memories_.erase(name_of(wish)); }
  // Of all that is not wanted, only what bears on money is remembered, and which take is the last stored
  // one: an item of a long loop leaves the look-ahead in each turn.
  void keep(const std::vector<const PlannedWish *> &wanted);
  void reload(Clock::Time now);

 private:
  void keep_takes(const std::set<std::string> &names);
  void keep_series(const std::set<std::string> &requests);

  std::map<std::string, SourceMemory> memories_;
  std::map<std::string, SeriesMemory> series_;  // By request.
};

}  // namespace genclip
