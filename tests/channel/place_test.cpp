// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A place in a rundown that changes, and what follows from it.
#include "plugin/channel/place.h"

#include <gtest/gtest.h>

#include "plugin/channel/start_time.h"
#include "tests/channel/player.h"

namespace genclip::test {
namespace {

using std::chrono::seconds;

// Items of one letter each.
Rundown letters(const std::string &ids) {
  Rundown rundown;
  for (const char id : ids) {
    RundownItem item;
    item.id = id;
    rundown.items.push_back(item);
  }
  rundown.reindex();
  return rundown;
}

struct MoveCase {
  const char *claim;
  const char *before;
  const char *now;
  const char *next;  // "": the first one; ".": it has ended.
  uint64_t turn;
  bool loop;
  const char *then;
  uint64_t then_turn;
};

TEST(Place, IsKeptByIdInANewRundown) {
  const MoveCase kCases[] = {
      {"the same item", "abc", "cab", "b", 3, true, "b", 3},
      {"the next one that is still there", "abcd", "xad", "b", 3, true, "d", 3},
      {"behind the last one before it", "abc", "abx", "c", 3, true, "x", 3},
      {"from the first one again if it was the last", "abc", "ab", "c", 3, true, "a", 4},
      {"the end if it was the last and nothing loops", "abc", "ab", "c", 0, false, ".", 0},
      {"the first one of another rundown", "abc", "xyz", "b", 3, true, "x", 3},
      {"a new item directly before it", "abc", "abxyc", "c", 3, true, "x", 3},
      {"no new item elsewhere", "abc", "axbc", "c", 3, true, "c", 3},
      {"new items at the end when it has begun again", "abc", "abcx", "a", 3, true, "x", 2},
      {"no new items at the end at the start of the run", "abc", "abcx", "a", 0, true, "a", 0},
      {"new items behind the end", "abc", "abcx", ".", 0, false, "x", 0},
      {"still the end", "abc", "xabc", ".", 0, false, ".", 0},
      {"another rundown behind the end", "abc", "xyz", ".", 0, false, "x", 0},
      {"the item of the state file", "", "abc", "b", 3, true, "b", 3},
      {"the first one if the state file's has gone", "", "abc", "x", 3, true, "a", 3},
      {"the first one", "abc", "abc", "", 0, true, "a", 0},
      {"nothing", "abc", "", "b", 3, true, "", 4},
  };
  for (const MoveCase &row : kCases) {
    SCOPED_TRACE(row.claim);
    Place place;
    place.ended = std::string_view(row.next) == ".";
    place.next = place.ended ? "" : row.next;
    place.turn = row.turn;
    ScheduleSettings settings;
    settings.loop = row.loop;
    place = moved(letters(row.before), letters(row.now), place, settings, kElevenOClock);
    EXPECT_EQ(place.ended ? "." : place.next, row.then);
    EXPECT_EQ(place.turn, row.then_turn);
  }
}

struct RestartCase {
  const char *claim;
  const char *now;
  const char *last;
  const char *next;  // As above.
  bool loop;
  const char *then;
  uint64_t then_turn;
};

TEST(Place, OfTheStateFileIsBehindWhatWasShownLast) {
  const RestartCase kCases[] = {
      {"the end after a kill during the last item", "abc", "c", ".", false, ".", 3},
      {"the next turn if it loops now", "abc", "c", ".", true, "a", 4},
      {"what was added behind the end", "abcx", "c", ".", false, "x", 3},
      {"the first one of another rundown behind the end", "xyz", "c", ".", false, "x", 3},
      {"the end if nobody knows what was shown", "abc", "", ".", false, ".", 3},
      {"behind the last one shown if the next one has gone", "abd", "b", "c", true, "d", 3},
      {"the end if the next one has gone and was the last", "ab", "b", "c", false, ".", 3},
      {"the next one if it is there", "abc", "a", "c", true, "c", 3},
      {"the first one of another rundown", "xyz", "b", "c", true, "x", 3},
  };
  for (const RestartCase &row : kCases) {
    SCOPED_TRACE(row.claim);
    Place place;
    place.last = row.last;
    place.ended = std::string_view(row.next) == ".";
    place.next = place.ended ? "" : row.next;
    place.turn = 3;
    ScheduleSettings settings;
    settings.loop = row.loop;
    place = moved({}, letters(row.now), place, settings, kElevenOClock);
    EXPECT_EQ(place.ended ? "." : place.next, row.then);
    EXPECT_EQ(place.turn, row.then_turn);
  }
}

TEST(Place, WaitsOnOnlyForTheSameItem) {
  Place place;
  place.next = "b";
  place.waiting_since = 100;
  place.told = 2;
  const Place same = moved(letters("abc"), letters("bc"), place, {}, kElevenOClock);
  EXPECT_EQ(same.waiting_since, 100u);
  EXPECT_EQ(same.told, 0u) << "a new rundown is looked at afresh";
  EXPECT_FALSE(moved(letters("abc"), letters("ac"), place, {}, kElevenOClock).waiting_since);
}

TEST(Place, KeepsStartTimesThatAreTheSameAndFindsNewOnes) {
  Rundown before = letters("abc");
  before.items[0].at = StartTime{kElevenOClock + seconds(10), {}};
  before.items[1].at = StartTime{kElevenOClock + seconds(20), {}};
  Place place = moved({}, before, {}, {}, kElevenOClock);
  ASSERT_EQ(place.timed.size(), 2u);
  EXPECT_EQ(place.timed[0].id, "a");
  place.timed.erase(place.timed.begin());  // It has been on the air.
  Rundown now = before;
  now.items[2].at = StartTime{kElevenOClock + seconds(15), {}};
  place = moved(before, now, place, {}, kElevenOClock + seconds(12));
  ASSERT_EQ(place.timed.size(), 2u) << "a does not come again";
  EXPECT_EQ(place.timed[0].id, "c");
  EXPECT_EQ(place.timed[1].id, "b");
  EXPECT_TRUE(place.in_order.empty());
  Rundown later = now;
  later.items[1].at = StartTime{kElevenOClock + seconds(30), {}};
  place = moved(now, later, place, {}, kElevenOClock + seconds(13));
  EXPECT_EQ(place.timed.back().next, kElevenOClock + seconds(30));
}

// Each day's rundown has another date, and a take of each day is another one.
TEST(Place, CountsTheStartsOfAnItemOnThoughItsRundownIsReplaced) {
  const auto day = [](int number, const char *ids) {
    Rundown rundown = letters(ids);
    for (RundownItem &item : rundown.items)
      item.at = StartTime{kElevenOClock + std::chrono::hours(24 * number), {}};
    return rundown;
  };
  const Rundown days[] = {day(0, "a"), day(1, "a"), day(2, "b"), day(3, "a")};
  const auto wall_of = [](int number) {
    return kElevenOClock + std::chrono::hours(24 * number) - seconds(10);
  };
  Place place = moved({}, days[0], {}, {}, wall_of(0));
  const auto start = [&](int number) {
    Cut cut;
    cut.wall = wall_of(number) + seconds(10);
    cut.timed = {place.timed.at(0).id};
    place = after(days[number], place, {}, cut);
    EXPECT_TRUE(place.timed.empty());
  };
  start(0);
  place = moved(days[0], days[1], place, {}, wall_of(1));
  ASSERT_EQ(place.timed.size(), 1u);
  EXPECT_EQ(place.timed[0].occurrence, 1u);
  start(1);
  place = moved(days[1], days[2], place, {}, wall_of(2));
  EXPECT_EQ(place.timed.at(0).occurrence, 0u) << "another item";
  // That day ends before its time.
  place = moved(days[2], days[3], place, {}, wall_of(3));
  EXPECT_EQ(place.timed.at(0).occurrence, 2u);
  EXPECT_EQ(set_back(days[3], place, {}, wall_of(3)).timed.at(0).occurrence, 2u);
  start(3);
  EXPECT_EQ(set_back(days[3], place, {}, wall_of(3)).timed.at(0).occurrence, 3u) << "it comes again";
  // After a restart too.
  Place known;
  known.starts_over = place.starts_over;
  EXPECT_EQ(moved({}, day(4, "a"), known, {}, wall_of(4)).timed.at(0).occurrence, 3u);
}

TEST(Place, CountsTheStartsOfAnItemThatWasLeftOutMeanwhile) {
  Rundown daily = letters("ab");
  daily.items[0].at = StartTime{std::nullopt, seconds(0)};
  Place place;
  place.timed = {{"a", *next_start(*daily.items[0].at, kElevenOClock), 7}};
  place.next = "b";
  place = moved(daily, letters("b"), place, {}, kElevenOClock);
  EXPECT_TRUE(place.timed.empty());
  place = moved(letters("b"), daily, place, {}, kElevenOClock);
  EXPECT_EQ(place.timed.at(0).occurrence, 7u);
}

TEST(Place, RemembersNoMoreStartsThanAStateFileMayHold) {
  Place place;
  for (size_t i = 0; i < kMaxStartsOver + 10; ++i) note_starts_over(place, std::to_string(i), i);
  EXPECT_EQ(place.starts_over.size(), kMaxStartsOver);
  note_starts_over(place, "20", 5);
  EXPECT_EQ(place.starts_over.size(), kMaxStartsOver);
  EXPECT_EQ(place.starts_over.back(), (StartsOver{"20", 5}));
  EXPECT_EQ(place.starts_over.front().id, "10") << "the oldest ones go";
}

TEST(Place, OfTheStateFileKeepsAStartTimeThatIsStillToBeHad) {
  Rundown rundown = letters("a");
  rundown.items[0].at = StartTime{kElevenOClock, {}};
  Place place;
  place.timed = {{"a", kElevenOClock, 3}};
  const Place soon = moved({}, rundown, place, {}, kElevenOClock + seconds(5));
  ASSERT_EQ(soon.timed.size(), 1u);
  EXPECT_EQ(soon.timed[0].next, kElevenOClock);
  EXPECT_EQ(soon.timed[0].occurrence, 3u);
  const Place late = moved({}, rundown, place, {}, kElevenOClock + seconds(100));
  EXPECT_TRUE(late.timed.empty());
  EXPECT_TRUE(late.in_order.contains("a"));
}

TEST(Place, OfTheStateFileBelievesNoClockThatWasAhead) {
  Rundown rundown = letters("ab");
  rundown.items[0].at = StartTime{std::nullopt, seconds(0)};
  rundown.items[1].at = StartTime{std::nullopt, seconds(0)};
  const Clock::WallTime right = *next_start(*rundown.items[0].at, kElevenOClock);
  const Clock::WallTime second = *next_start(*rundown.items[0].at, right);
  Place place;
  place.timed = {{"a", second, 1}, {"b", right + std::chrono::hours(366 * 24), 3}};
  while (next_start(*rundown.items[1].at, place.timed[1].next - std::chrono::milliseconds(1)) !=
         place.timed[1].next)
    place.timed[1].next += std::chrono::hours(1);
  const Place now = moved({}, rundown, place, {}, right + seconds(1));
  ASSERT_EQ(now.timed.size(), 2u);
  EXPECT_EQ(now.timed[1].next, second);
  EXPECT_EQ(now.timed[1].occurrence, 3u);
  // The machine that was on the air before had a clock that was 3 s ahead of this one's.
  const Place again = moved({}, rundown, place, {}, right - seconds(3));
  EXPECT_EQ(again.timed[0].next, second);
}

TEST(Place, AfterAClockWasSetBackExpectsWhatComesAgainAndKeepsWhatIsLate) {
  Rundown rundown = letters("abcd");
  for (size_t i = 0; i < 3; ++i) rundown.items[i].at = StartTime{kElevenOClock + seconds(100), {}};
  rundown.items[1].at = StartTime{kElevenOClock - seconds(5), {}};
  Place place;
  place.timed = {{"b", kElevenOClock - seconds(5), 2}};
  place.in_order = {"c"};
  const Place now = set_back(rundown, place, {}, kElevenOClock);
  EXPECT_EQ(now.timed, (std::vector<TimedStart>{{"b", kElevenOClock - seconds(5), 2},
                                                {"a", kElevenOClock + seconds(100), 0},
                                                {"c", kElevenOClock + seconds(100), 0}}));
  EXPECT_TRUE(now.in_order.empty());
  ScheduleSettings ends;
  ends.loop = false;
  place.next = "c";
  EXPECT_EQ(set_back(rundown, place, ends, kElevenOClock).timed.size(), 1u) << "what lies behind stays there";
}

std::string text_of(const std::vector<Upcoming> &items) {
  std::string text;
  for (const Upcoming &item : items)
    text += (text.empty() ? "" : ", ") + std::string(item.is_passed_over ? "(" : "") + item.id + "#" +
            std::to_string(item.turn) + " " + std::to_string(item.frame) + (item.is_passed_over ? ")" : "");
  return text;
}

struct AheadCase {
  const char *claim;
  bool loop;
  int start_of_b;  // Seconds; 0: it has no start time.
  Late late;
  size_t items;
  uint64_t frames;
  const char *ahead;
};

TEST(Place, TellsWhatIsToCome) {
  const AheadCase kCases[] = {
      {"so many items", true, 0, Late::after, 4, 0, "a#0 100, b#0 200, c#0 300, a#1 400"},
      {"all within a time", true, 0, Late::after, 1, 250, "a#0 100, b#0 200, c#0 300"},
      {"to the end", false, 0, Late::after, 9, 0, "a#0 100, b#0 200, c#0 300"},
      {"an item behind the clip at its time", true, 10, Late::after, 4, 0,
       "a#0 100, c#0 200, b#5 300, a#1 400"},
      {"an item that cuts", true, 10, Late::cut, 4, 0, "a#0 100, c#0 200, b#5 250, a#1 350"},
      {"one that is waited for", false, 20, Late::after, 9, 0, "a#0 100, b#5 500, c#0 600"},
      {"one that cuts what is on the air", true, 2, Late::cut, 2, 0, "b#5 50, a#0 150"},
  };
  for (const AheadCase &row : kCases) {
    SCOPED_TRACE(row.claim);
    const Rundown rundown = [&] {
      Rundown made = letters("abc");
      if (row.start_of_b > 0) made.items[1].at = StartTime{kElevenOClock + seconds(row.start_of_b), {}};
      made.items[1].late = row.late;
      return made;
    }();
    ScheduleSettings settings;
    settings.loop = row.loop;
    Place place;
    place.next = "a";
    if (row.start_of_b > 0) place.timed = {{"b", kElevenOClock + seconds(row.start_of_b), 5}};
    Piece from;
    from.kind = PieceKind::clip;
    from.frames = 100;
    EXPECT_EQ(text_of(upcoming(rundown, place, settings, from, {0, kElevenOClock}, row.items, row.frames,
                               [](const RundownItem &, uint64_t) { return uint64_t{100}; })),
              row.ahead);
  }
}

struct LostCase {
  const char *claim;
  const char *lost;
  bool loop;
  int start_of_b;  // As above.
  Late late;
  size_t items;
  const char *ahead;
};

TEST(Place, CountsNeitherTheTimeNorTheItemOfWhatIsPassedOver) {
  const LostCase kCases[] = {
      {"an item in order", "b", true, 0, Late::after, 3, "a#0 100, (b#0 200), c#0 200, a#1 300"},
      {"the first one", "a", false, 0, Late::after, 9, "(a#0 100), b#0 100, c#0 200"},
      {"all of them, once", "abc", true, 0, Late::after, 4, "(a#0 100), (b#0 100), (c#0 100)"},
      {"one with a start time", "b", true, 10, Late::after, 3, "a#0 100, c#0 200, (b#5 300), a#1 300"},
      {"one that would cut", "b", true, 2, Late::cut, 2, "(b#5 100), a#0 100, c#0 200"},
      {"one that is waited for", "b", false, 15, Late::cut, 9, "a#0 100, (b#5 375), c#0 375"},
      {"what comes before a start time", "a", false, 10, Late::after, 9, "(a#0 100), b#5 250, c#0 350"},
  };
  for (const LostCase &row : kCases) {
    SCOPED_TRACE(row.claim);
    Rundown rundown = letters("abc");
    if (row.start_of_b > 0) rundown.items[1].at = StartTime{kElevenOClock + seconds(row.start_of_b), {}};
    rundown.items[1].late = row.late;
    ScheduleSettings settings;
    settings.loop = row.loop;
    Place place;
    place.next = "a";
    if (row.start_of_b > 0) place.timed = {{"b", kElevenOClock + seconds(row.start_of_b), 5}};
    Piece from;
    from.kind = PieceKind::clip;
    from.frames = 100;
    const auto length_of = [&](const RundownItem &item, uint64_t) {
      const bool is_lost = std::string_view(row.lost).find(item.id) != std::string_view::npos;
      return is_lost ? std::nullopt : std::optional<uint64_t>(100);
    };
    EXPECT_EQ(text_of(upcoming(rundown, place, settings, from, {0, kElevenOClock}, row.items, 0, length_of)),
              row.ahead);
  }
}

TEST(Place, LooksNoFurtherThanAThousandItemsForOneThatIsNotPassedOver) {
  Rundown rundown;
  for (int i = 0; i < 5000; ++i) {
    RundownItem item;
    item.id = std::to_string(i);
    rundown.items.push_back(item);
  }
  rundown.reindex();
  const auto nothing = [](const RundownItem &, uint64_t) { return std::optional<uint64_t>(); };
  EXPECT_EQ(upcoming(rundown, {}, {}, {}, {0, kElevenOClock}, 4, 100, nothing).size(), 1000u);
  const auto few = [](const RundownItem &item, uint64_t) {
    return item.id.ends_with("00") ? std::optional<uint64_t>(1) : std::nullopt;
  };
  const auto some = upcoming(rundown, {}, {}, {}, {0, kElevenOClock}, 4, 100000, few);
  EXPECT_EQ(std::ranges::count(some, true, &Upcoming::is_passed_over), 1000);
}

TEST(Place, TellsNoItemsWithAProblemAndNoMoreThanAMindCanHold) {
  Rundown rundown = letters("ab");
  rundown.items[0].problem = "It is refused.";
  const auto nothing = [](const RundownItem &, uint64_t) { return uint64_t{0}; };
  const auto ahead = upcoming(rundown, {}, {}, {}, {0, kElevenOClock}, 2, UINT64_MAX / 2, nothing);
  EXPECT_EQ(ahead.size(), 10000u) << "an item of unknown length takes one frame";
  EXPECT_EQ(ahead[0].id, "b");
  rundown.items[1].problem = "It is refused.";
  EXPECT_TRUE(upcoming(rundown, {}, {}, {}, {0, kElevenOClock}, 2, 100, nothing).empty());
  EXPECT_TRUE(upcoming({}, {}, {}, {}, {0, kElevenOClock}, 2, 100, nothing).empty());
}

TEST(InsertedItem, ComesWhereItIsWanted) {
  const auto order = [](const char *id, const char *after, const char *next) {
    Rundown rundown;
    for (const char *known : {"a", "b", "c"}) {
      RundownItem item;
      item.id = known;
      rundown.items.push_back(item);
    }
    RundownItem item;
    item.id = id;
    insert_item(rundown, item, after, next);
    std::string text;
    for (const RundownItem &each : rundown.items) {
      text += each.id;
      EXPECT_EQ(&rundown.items.at(rundown.find(each.id).value_or(99)), &each);
    }
    return text;
  };
  EXPECT_EQ(order("x", "b", "c"), "abxc");
  EXPECT_EQ(order("x", "c", "b"), "abcx");
  EXPECT_EQ(order("x", "", "b"), "axbc") << "it comes next";
  EXPECT_EQ(order("x", "", ""), "xabc") << "the first item is next";
  EXPECT_EQ(order("x", "nobody", "b"), "abcx");
  EXPECT_EQ(order("a", "b", "b"), "bac") << "it moves";
}

struct InsertCase {
  const char *claim;
  const char *before;
  char item;
  const char *after;  // "": it comes next.
  const char *next;   // As above.
  uint64_t turn;
  bool loop;
  const char *now;
  const char *then;
  uint64_t then_turn;
};

// As if the rundown had not had it.
TEST(InsertedItem, HasItsTurnAlsoIfItIsMoved) {
  const InsertCase kCases[] = {
      {"from behind, as the next one", "abcd", 'd', "", "b", 0, true, "adbc", "d", 0},
      {"from behind, behind what is on the air", "abcd", 'd', "a", "b", 0, true, "adbc", "d", 0},
      {"what is on the air, as the next one", "abcd", 'a', "", "b", 0, true, "abcd", "a", 0},
      {"the next one, as the next one", "abcd", 'b', "", "b", 0, true, "abcd", "b", 0},
      {"the next one, away: another one is next", "abcd", 'b', "c", "b", 0, true, "acbd", "c", 0},
      {"from before, to later", "abcd", 'a', "c", "b", 0, true, "bcad", "b", 0},
      {"the last one, while it is on the air and the next turn comes", "abc", 'c', "", "a", 1, true, "cab",
       "c", 1},
      {"the only one", "a", 'a', "", "a", 1, true, "a", "a", 1},
      {"the last one, while it is on the air and nothing follows", "xyz", 'z', "z", ".", 0, false, "xyz", "z",
       0},
      {"the only one, while nothing follows", "z", 'z', "z", ".", 0, false, "z", "z", 0},
      {"an earlier one behind the last one", "xyz", 'x', "z", ".", 0, false, "yzx", "x", 0},
      {"one that is new", "abcd", 'n', "", "b", 0, true, "anbcd", "n", 0},
  };
  for (const InsertCase &row : kCases) {
    SCOPED_TRACE(row.claim);
    Place place;
    place.ended = std::string_view(row.next) == ".";
    place.next = place.ended ? "" : row.next;
    place.turn = row.turn;
    ScheduleSettings settings;
    settings.loop = row.loop;
    const Rundown before = letters(row.before);
    Rundown now = before;
    const std::string id(1, row.item);
    insert_item(now, letters(id).items[0], row.after, place.next);
    std::string order;
    for (const RundownItem &item : now.items) order += item.id;
    EXPECT_EQ(order, row.now);
    place = moved(before, now, place, settings, kElevenOClock, id);
    EXPECT_EQ(place.ended ? "." : place.next, row.then);
    EXPECT_EQ(place.turn, row.then_turn);
  }
}

TEST(InsertedItem, ThatHasAiredAtItsTimePlaysInOrderIfItIsInsertedAgain) {
  Rundown rundown = letters("abc");
  rundown.items[2].at = StartTime{kElevenOClock, {}};
  Place place;
  place.next = "b";
  Rundown now = rundown;
  insert_item(now, rundown.items[2], "", place.next);
  place = moved(rundown, now, place, {}, kElevenOClock + seconds(60), "c");
  EXPECT_EQ(place.next, "c");
  EXPECT_TRUE(place.in_order.contains("c"));
}

}  // namespace
}  // namespace genclip::test
