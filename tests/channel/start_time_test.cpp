// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/start_time.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "plugin/base/utc_time.h"
#include "tests/channel/player.h"

namespace genclip::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Clock::WallTime utc(const char *text) { return *utc_time(text); }

class TimeZone {
 public:
  explicit TimeZone(const char *name) : before_(g_getenv("TZ") ? g_getenv("TZ") : "") {
    g_setenv("TZ", name, TRUE);
  }
  ~TimeZone() {
    before_.empty() ? g_unsetenv("TZ") : static_cast<void>(g_setenv("TZ", before_.c_str(), TRUE));
  }

 private:
  const std::string before_;
};

TEST(StartTime, ReadsTimesOfDayAndMoments) {
  EXPECT_EQ(start_time("12:34"), (StartTime{std::nullopt, hours(12) + minutes(34)}));
  EXPECT_EQ(start_time("00:00:00"), (StartTime{std::nullopt, milliseconds(0)}));
  EXPECT_EQ(start_time("23:59:59.999"), (StartTime{std::nullopt, hours(24) - milliseconds(1)}));
  EXPECT_EQ(start_time("23:59:59.5"), (StartTime{std::nullopt, hours(24) - milliseconds(500)}));
  EXPECT_EQ(start_time("2026-11-22T12:00:00Z"), (StartTime{utc("2026-11-22T12:00:00Z"), {}}));
  EXPECT_EQ(start_time("2026-11-22T12:00:00.25+02:00"), (StartTime{utc("2026-11-22T10:00:00.250Z"), {}}));
  EXPECT_EQ(start_time("2026-11-22t12:00:00z"), (StartTime{utc("2026-11-22T12:00:00Z"), {}}));
}

TEST(StartTime, RefusesAnythingElse) {
  for (const char *text : {"",
                           "12",
                           "1:00",
                           "24:00",
                           "12:60",
                           "12:00:60",
                           "12:00:00.",
                           "12:00 ",
                           "noon",
                           "-1:00",
                           "12:00:00,5",
                           "2026-11-22",
                           "2026-11-22T12:00:00",
                           "2026-11-22 12:00:00Z",
                           "20261122T120000Z",
                           "2026-13-22T12:00:00Z",
                           "1969-11-22T12:00:00Z",
                           "2200-11-22T12:00:00Z",
                           "2026-11-22T12:00:00+0200",
                           "2026-11-22T12:00:00X",
                           "2026-W47-7T12:00:00Z"})
    EXPECT_FALSE(start_time(text)) << text;
}

TEST(StartTime, ComesAtTheSameLocalTimeEachDayAlsoWhenClocksAreChanged) {
  const TimeZone zone("Europe/Berlin");
  const std::tuple<const char *, const char *, const char *> kRows[] = {
      {"12:00", "2026-11-22T10:59:59.999Z", "2026-11-22T11:00:00Z"},
      {"12:00", "2026-11-22T11:00:00Z", "2026-11-23T11:00:00Z"},
      {"00:00", "2026-11-22T22:59:00Z", "2026-11-22T23:00:00Z"},
      // Summer time begins on 2026-03-29 at 02:00, and ends on 2026-10-25 at 03:00.
      {"12:00", "2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z"},
      {"12:00", "2026-10-24T10:00:00Z", "2026-10-25T11:00:00Z"},
      {"02:30", "2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z"},
      {"02:30", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
  };
  for (const auto &[of_day, behind, next] : kRows)
    EXPECT_EQ(next_start(*start_time(of_day), utc(behind)), utc(next)) << of_day << " behind " << behind;
  // The hour that there is twice counts once.
  const auto twice = next_start(*start_time("02:30"), utc("2026-10-24T12:00:00Z"));
  EXPECT_EQ(twice, utc("2026-10-25T01:30:00Z")) << "it is the second one";
  ASSERT_TRUE(twice);
  const auto then = next_start(*start_time("02:30"), *twice);
  ASSERT_TRUE(then);
  EXPECT_EQ(*then, utc("2026-10-26T01:30:00Z"));
}

TEST(StartTime, ComesOnceAtAMoment) {
  const StartTime moment = *start_time("2026-11-22T12:00:00Z");
  EXPECT_EQ(next_start(moment, utc("2026-11-22T11:00:00Z")), utc("2026-11-22T12:00:00Z"));
  EXPECT_FALSE(next_start(moment, utc("2026-11-22T12:00:00Z")));
}

// A row: an item with a start time 60 s after the run began, and what is on the air then.
struct TimedCase {
  const char *claim;
  Late late;
  uint64_t clip;  // Frames of item a, which begins at frame 0; 0: it never becomes ready.
  uint64_t ready_at;
  uint64_t starts;
};

TEST(StartTime, BeginsOnItsFrameOrAsSoonAsItMay) {
  constexpr uint64_t kStart = 1500;
  const TimedCase kCases[] = {
      {"cuts a clip", Late::cut, 4000, 0, kStart},
      {"waits for the end of a clip", Late::after, 4000, 0, 4000},
      {"ends a fallback", Late::after, 0, 0, kStart},
      {"ends a fallback with cut too", Late::cut, 0, 0, kStart},
      {"begins on its frame if a clip ends there", Late::after, 500, 0, kStart},
      {"cuts nothing while it is not ready, and then at once", Late::cut, 4000, 2000, 2000},
      {"does not cut when its patience is over", Late::cut, 4000, 3100, 4000},
      {"ends a fallback when it is ready", Late::after, 0, 2000, 2000},
  };
  for (const TimedCase &row : kCases) {
    SCOPED_TRACE(row.claim);
    Player player({"a"});
    player.settings.slate_step = 4000;
    RundownItem &noon = player.add("noon");
    noon.at = StartTime{kElevenOClock + seconds(60), {}};
    noon.late = row.late;
    if (row.clip > 0) player.ready("a", row.clip);
    if (row.ready_at == 0) player.ready("noon", 50);
    player.play(row.ready_at);
    player.ready("noon", 50);
    player.play(8000);
    const auto shown =
        std::ranges::find_if(player.aired, [](const auto &each) { return each.first.id == "noon"; });
    ASSERT_NE(shown, player.aired.end()) << player.shown();
    EXPECT_EQ(shown->first.start, row.starts);
    EXPECT_EQ(shown->first.planned_at, kElevenOClock + seconds(60));
  }
}

TEST(StartTime, OfAnItemThatIsRefusedHoldsNothingUp) {
  Player player({"a", "bad", "b", "timed", "c"});
  player.settings.loop = false;
  player.rundown.items[1].at = StartTime{kElevenOClock + minutes(5), {}};
  player.rundown.items[1].problem = "The prompt is missing.";
  player.rundown.items[3].at = StartTime{kElevenOClock + minutes(10), {}};
  for (const char *id : {"a", "b", "timed", "c"}) player.ready(id, 100);
  player.play(150);
  EXPECT_EQ(player.on_air.id, "b");
  EXPECT_EQ(player.told(), "bad#0 refused");
  player.play(minutes(10) / seconds(1) * 25);
  EXPECT_NE(player.on_air.kind, PieceKind::clip) << "the next start time counts";
  player.play(minutes(10) / seconds(1) * 25 + 150);
  EXPECT_EQ(player.on_air.id, "c");
  EXPECT_TRUE(player.shown().ends_with("timed 15000-15100")) << player.shown();
  EXPECT_EQ(player.told(), "bad#0 refused");
}

TEST(StartTime, GoesRoundWithoutTheItemUntilItsTimeAndAgainTheNextDay) {
  const TimeZone zone("UTC");
  Player player({"a", "noon", "b"});
  player.rundown.items[1].at = start_time("12:00");
  player.rundown.items[1].late = Late::cut;
  for (const char *id : {"a", "b", "noon"}) player.ready(id, 1000);
  const uint64_t noon = 3600 * 25;
  const uint64_t day = 24 * 3600 * 25;
  player.play(2 * day);
  std::vector<uint64_t> starts;
  std::vector<uint64_t> occurrences;
  for (const auto &[piece, end] : player.aired)
    if (piece.id == "noon") {
      starts.push_back(piece.start);
      occurrences.push_back(piece.turn);
    }
  EXPECT_EQ(starts, (std::vector<uint64_t>{noon, noon + day}));
  EXPECT_EQ(occurrences, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(player.told(), "");
}

// Each of them would be paid for, with `fresh`.
TEST(StartTime, IsOneTurnForAllDaysThatAClockSetForwardLeavesOut) {
  const TimeZone zone("UTC");
  Player player({"a", "noon"});
  player.rundown.items[1].at = start_time("12:00");
  for (const char *id : {"a", "noon"}) player.ready(id, 100);
  player.play(1000);
  player.clock = {player.now, kElevenOClock + hours(10 * 24)};
  std::vector<std::string> ahead;
  for (const Upcoming &each :
       upcoming(player.rundown, player.place, player.settings, player.on_air, player.clock, 4, 0,
                [](const RundownItem &, uint64_t) { return std::optional<uint64_t>(100); }))
    ahead.push_back(each.id);
  EXPECT_EQ(ahead, (std::vector<std::string>{"noon", "a", "a", "a"}));
  player.play(2000);
  EXPECT_EQ(std::ranges::count_if(player.aired, [](const auto &each) { return each.first.id == "noon"; }), 1)
      << player.shown();
  ASSERT_EQ(player.place.timed.size(), 1u);
  EXPECT_EQ(player.place.timed[0].next, utc("2026-12-02T12:00:00Z"));
  EXPECT_EQ(player.place.timed[0].occurrence, 1u);
}

TEST(StartTime, IsWaitedForWithAFallbackIfItIsNotReady) {
  for (const Late late : {Late::after, Late::cut}) {
    Player player({"a", "noon"});
    player.settings.fallback = Fallback::slate;
    player.rundown.items[1].at = StartTime{kElevenOClock + seconds(60), {}};
    player.rundown.items[1].late = late;
    player.ready("a", 1000);
    player.state("noon", ItemState::generating);
    player.play(2130);
    EXPECT_EQ(player.on_air.kind, PieceKind::slate);
    EXPECT_EQ(player.on_air.stands_for, "noon");
    EXPECT_EQ(player.on_air.reason, "The item is not ready: generating.");
    player.ready("noon", 100);
    player.play(3000);
    EXPECT_EQ(player.shown(), "a 0-1000, a 1000-2000, slate 2000-2125, slate 2125-2130, noon 2130-2230");
    EXPECT_EQ(player.told(), "");
  }
}

TEST(StartTime, IsToldOnceIfItsPatienceIsOver) {
  Player player({"a", "noon"});
  player.rundown.items[1].at = StartTime{kElevenOClock + seconds(60), {}};
  player.ready("a", 100);
  player.state("noon", ItemState::generating);
  player.play(20000);
  EXPECT_EQ(player.told(), "noon#0 generating");
  EXPECT_EQ(player.passed[0].id, "noon");
  player.ready("noon", 100);
  player.play(30000);
  for (const auto &[piece, end] : player.aired) EXPECT_EQ(piece.id, "a");
  // The fallback is a, which has aired; behind the patience the round goes on.
  EXPECT_EQ(
      std::ranges::count(player.aired, PieceKind::fallback, [](const auto &each) { return each.first.kind; }),
      15);
}

TEST(StartTime, IsInOrderIfItWasPastWhenTheRundownWasLoaded) {
  Player player({"a", "noon", "b"});
  player.rundown.items[1].at = StartTime{kElevenOClock - seconds(1), {}};
  for (const char *id : {"a", "b", "noon"}) player.ready(id, 100);
  player.play(450);
  EXPECT_EQ(player.shown(), "a 0-100, noon 100-200, b 200-300, a 300-400");
}

TEST(StartTime, TwoItemsWhoseTimeHasComeDoNotCutEachOther) {
  Player player({"a", "x", "y"});
  for (const size_t i : {1u, 2u}) {
    player.rundown.items[i].at = StartTime{kElevenOClock + seconds(58 + static_cast<int>(i)), {}};
    player.rundown.items[i].late = Late::cut;
  }
  player.ready("a", 4000);
  player.play(1550);
  player.ready("x", 100);
  player.ready("y", 100);
  player.play(1900);
  EXPECT_EQ(player.shown(), "a 0-1550, x 1550-1650, y 1650-1750");
}

TEST(StartTime, IsWaitedForInARundownThatEnds) {
  Player player({"a", "noon", "b"});
  player.settings.loop = false;
  player.settings.fallback = Fallback::slate;
  player.rundown.items[1].at = StartTime{kElevenOClock + seconds(10), {}};
  for (const char *id : {"a", "b", "noon"}) player.ready(id, 100);
  player.play(1000);
  EXPECT_EQ(player.shown(), "a 0-100, slate 100-225, slate 225-250, noon 250-350, b 350-450");
  EXPECT_TRUE(player.ended);
  EXPECT_EQ(player.aired[1].first.reason, "The item starts at 2026-11-22T11:00:10.000Z.");
  EXPECT_EQ(player.aired[1].first.stands_for, "noon");
}

TEST(StartTime, PassesOverWhatDidNotFitInARundownThatEnds) {
  Player player({"a", "b", "c", "noon", "d"});
  player.settings.loop = false;
  player.rundown.items[3].at = StartTime{kElevenOClock + seconds(10), {}};
  for (const char *id : {"a", "b", "d", "noon"}) player.ready(id, 200);
  player.state("c", ItemState::failed);
  player.rundown.items[3].late = Late::cut;
  player.play(900);
  EXPECT_EQ(player.shown(), "a 0-200, b 200-250, noon 250-450, d 450-650");
  EXPECT_EQ(player.told(), "c#0 failed");
  Player late({"a", "b", "noon"});
  late.settings.loop = false;
  late.rundown.items[2].at = StartTime{kElevenOClock + seconds(4), {}};
  for (const char *id : {"a", "b", "noon"}) late.ready(id, 200);
  late.play(900);
  EXPECT_EQ(late.shown(), "a 0-200, noon 200-400");
  EXPECT_EQ(late.told(), "b#0 skipped");
}

TEST(StartTime, DoesNotWaitForTheNextDayBeforeItemsOfThisOne) {
  const TimeZone zone("UTC");
  Player player({"morning", "a", "noon", "b"});
  player.settings.loop = false;
  player.settings.fallback = Fallback::slate;
  player.rundown.items[0].at = start_time("06:00");  // It is 11:00: the next one is on the next day.
  player.rundown.items[2].at = start_time("11:00:10");
  for (const char *id : {"morning", "a", "noon", "b"}) player.ready(id, 100);
  player.play(1000);
  EXPECT_EQ(player.shown(), "morning 0-100, a 100-200, slate 200-250, noon 250-350, b 350-450");
  EXPECT_TRUE(player.ended);
}

TEST(StartTime, IsWaitedForBehindAnItemThatWasShownBeforeItsTime) {
  Player player({"x", "noon", "y"});
  player.settings.loop = false;
  player.settings.slate_step = 10000;
  for (const auto &[item, start] : {std::pair(0u, 20), std::pair(1u, 10), std::pair(2u, 30)})
    player.rundown.items[item].at = StartTime{kElevenOClock + seconds(start), {}};
  for (const char *id : {"x", "noon", "y"}) player.ready(id, 100);
  player.settings.fallback = Fallback::slate;
  player.play(1000);
  EXPECT_EQ(player.shown(), "x 0-100, slate 100-250, noon 250-350, slate 350-750, y 750-850");
}

}  // namespace
}  // namespace genclip::test
