// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/schedule.h"

#include <gtest/gtest.h>

#include <ctime>

#include "tests/channel/player.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

// 25 frames a second, a patience of 60 s, a slate of 5 s.
constexpr uint64_t kPatience = 1500;
constexpr uint64_t kSlate = 125;

TEST(Schedule, ShowsReadyItemsWithoutAGapAndBeginsAgain) {
  Player player({"a", "b"});
  player.ready("a", 100);
  player.ready("b", 50);
  player.play(400);
  EXPECT_EQ(player.shown(), "a 0-100, b 100-150, a 150-250, b 250-300");
  EXPECT_EQ(player.on_air.turn, 2u);
  EXPECT_EQ(player.told(), "");
}

TEST(Schedule, WaitsForAnItemWithAFallbackAndTakesItWhenTheFallbackEnds) {
  Player player({"a", "b"});
  player.ready("a", 100);
  player.state("b", ItemState::generating);
  player.play(250);
  player.ready("b", 50);
  player.play(500);
  EXPECT_EQ(player.shown(), "a 0-100, (a) 100-200, (a) 200-300, b 300-350, a 350-450");
  EXPECT_EQ(player.aired[1].first.stands_for, "b");
  EXPECT_EQ(player.aired[1].first.reason, "The item is not ready: generating.");
  EXPECT_EQ(player.told(), "");
}

TEST(Schedule, TakesTheNextReadyItemWhenPatienceIsOverAndTellsTheOther) {
  Player player({"a", "b", "c", "d"});
  player.settings.fallback = Fallback::slate;
  player.ready("a", 100);
  player.state("b", ItemState::generating);
  player.state("c", ItemState::vetting);
  player.ready("d", 50);
  player.play(100 + kPatience);
  EXPECT_EQ(player.told(), "");
  EXPECT_EQ(player.place.next, "b");
  player.play(100 + kPatience + 1);
  EXPECT_EQ(player.on_air.id, "d");
  EXPECT_EQ(player.told(), "b#0 generating, c#0 vetting");
  player.ready("b", 60);
  player.play(100 + kPatience + 50 + 100 + 60);
  EXPECT_EQ(player.on_air.id, "b") << "at its next turn";
  EXPECT_EQ(player.on_air.turn, 1u);
}

TEST(Schedule, KeepsThePlaceWhileNothingIsReady) {
  Player player({"a", "b", "c"});
  player.ready("a", 100);
  player.play(99);
  player.state("a", ItemState::planned);
  player.state("b", ItemState::generating);
  player.play(20 * kPatience);
  EXPECT_EQ(player.place.next, "b");
  EXPECT_EQ(player.place.turn, 0u);
  EXPECT_EQ(player.told(), "");
  player.ready("b", 50);
  player.play(20 * kPatience + 2 * kSlate);
  EXPECT_EQ(player.aired.back().first.id + player.on_air.id, "ba") << player.shown();
}

TEST(Schedule, WaitsForSomeStatesAndPassesOverOthersAtOnce) {
  for (const auto &[state, word] : kWords<ItemState>) {
    if (state == ItemState::ready || state == ItemState::cued || state == ItemState::on_air ||
        state == ItemState::aired)
      continue;
    Player player({"a", "b", "c"});
    for (const char *id : {"a", "c"}) player.ready(id, 100);
    player.state("b", state);
    player.play(101);
    EXPECT_EQ(player.on_air.id == "c", !may_become_ready(state)) << word;
    EXPECT_EQ(player.told(), may_become_ready(state) ? "" : std::string("b#0 ") + word);
  }
}

TEST(Schedule, PassesOverAnItemWithAProblemWhateverTheShelfSays) {
  Player player({"a", "b", "c"});
  for (const char *id : {"a", "b", "c"}) player.ready(id, 100);
  player.rundown.items[1].problem = "It is refused.";
  player.play(101);
  EXPECT_EQ(player.on_air.id, "c");
  EXPECT_EQ(player.told(), "b#0 refused");
  EXPECT_EQ(player.passed[0].status.reason, "It is refused.");
}

TEST(Schedule, TellsEachItemOnceWhenNothingCanBeShownForADay) {
  Player player({"a", "b", "c"});
  for (const char *id : {"a", "b", "c"}) player.state(id, ItemState::failed);
  player.play(24 * 3600 * 25);
  EXPECT_EQ(player.told(), "a#0 failed, b#0 failed, c#0 failed");
  EXPECT_EQ(player.place.turn, 0u) << "a turn without anything shown does not count";
  EXPECT_EQ(player.on_air.kind, PieceKind::slate);
  EXPECT_FALSE(player.on_air.reason.empty());
  player.ready("b", 1000);
  player.play(player.now + 2 * kSlate);
  EXPECT_EQ(player.on_air.id, "b");
  EXPECT_EQ(player.on_air.turn, 0u);
  EXPECT_EQ(player.told(), "a#0 failed, b#0 failed, c#0 failed")
      << "what was told for this turn is not told again";
  player.play(player.on_air.end() + 1);
  EXPECT_EQ(player.on_air.turn, 1u);
  EXPECT_EQ(player.told(), "a#0 failed, b#0 failed, c#0 failed, a#1 failed");
}

// Without money, only what is about to be prepared is known to lack it. The place goes round and looks for a
// stored clip.
TEST(Schedule, GoesRoundWithoutCountingTurnsOrTellingAgainWhenNothingCanBeHad) {
  Player player;
  for (int i = 0; i < 10; ++i) player.add("i" + std::to_string(i));
  size_t asked = 0;
  player.rule = [&](const std::string &id, uint64_t turn) -> ItemStatus {
    EXPECT_EQ(turn, 0u);
    ++asked;
    const size_t position = *player.rundown.find(id);
    const size_t next = player.rundown.find(player.place.next).value_or(0);
    return {(position + 10 - next) % 10 < 3 ? ItemState::budget : ItemState::planned, "", nullptr};
  };
  player.play(24 * 3600 * 25);
  EXPECT_GT(asked, 1000u);
  EXPECT_EQ(player.passed.size(), 10u) << player.told();
  EXPECT_EQ(player.place.turn, 0u);
  player.rule = nullptr;
  player.ready("i4", 100);
  player.play(player.now + 2 * kPatience + 2 * kSlate);
  EXPECT_EQ(player.on_air.turn, 0u);
  EXPECT_EQ(player.place.earlier.size(), 1u);
}

TEST(Schedule, AsksForTheStatusOfTheTurn) {
  Player player({"a"});
  player.ready("a#0", 100);
  player.state("a#1", ItemState::generating);
  player.play(101);
  EXPECT_EQ(player.on_air.kind, PieceKind::fallback);
  player.ready("a#1", 50);
  player.play(201);
  EXPECT_EQ(player.on_air.kind, PieceKind::clip);
  EXPECT_EQ(player.on_air.turn, 1u);
}

TEST(Schedule, FillsHolesWithTheListThenWhatAiredInTurns) {
  Player player({"a", "b", "c"});
  player.rundown.fallback = {"file:///w", "file:///x", "file:///y", "file:///z"};
  player.ready("a", 100);
  player.ready("b", 100);
  player.ready(fallback_id(0), 10);
  player.state(fallback_id(1), ItemState::failed);
  player.ready(fallback_id(2), 10);
  player.ready(fallback_id(3), 10);
  player.play(451);
  EXPECT_EQ(player.shown(),
            "a 0-100, b 100-200, (fallback:1) 200-210, (fallback:3) 210-220, (fallback:4) 220-230, "
            "(b) 230-330, (a) 330-430, (fallback:4) 430-440, (fallback:1) 440-450");
}

TEST(Schedule, RepeatsWhatIsOnTheAirOnlyIfThereIsNothingElse) {
  Player player({"a", "b", "c"});
  player.ready("a", 100);
  player.ready("b", 100);
  player.place.fallbacks = 1;  // It would be b's turn.
  player.play(250);
  EXPECT_EQ(player.on_air.id, "a") << player.shown();
}

TEST(Schedule, ShowsOnlyTheSlateIfThatIsSet) {
  Player player({"a", "b"});
  player.settings.fallback = Fallback::slate;
  player.rundown.fallback = {"file:///x"};
  player.ready("a", 100);
  player.ready(fallback_id(0), 10);
  player.play(400);
  EXPECT_EQ(player.shown(), "a 0-100, slate 100-225, slate 225-350");
}

TEST(Schedule, RemembersEachSourceOnceAndTheLastOnes) {
  Player player;
  for (int i = 0; i < 40; ++i) {
    player.add("i" + std::to_string(i));
    player.ready("i" + std::to_string(i), 10);
  }
  player.play(40 * 10 + 55);
  ASSERT_EQ(player.place.earlier.size(), kMaxEarlier);
  EXPECT_EQ(player.place.earlier.back().id, "i5");
  EXPECT_EQ(player.place.earlier.front().id, "i14");
}

// Of `https://a/clip?id=1` and `?id=2`, people see the same.
TEST(Schedule, TellsSourcesApartThatLookTheSame) {
  Player player({"a", "b", "c"});
  const auto ready = [&](const char *id, size_t hash) {
    auto media = std::make_shared<ReadyMedia>(*media_of(id, time_of_frame(player.settings, 100)));
    media->source = "https://a/clip";
    media->source_hash = hash;
    player.statuses[id] = {ItemState::ready, "", media};
  };
  ready("a", 1);
  ready("b", 2);
  player.play(410);
  EXPECT_EQ(player.shown(), "a 0-100, b 100-200, (a) 200-300, (b) 300-400");
  ASSERT_EQ(player.place.earlier.size(), 2u);
  player.state("b", ItemState::failed);
  ready("c", 1);
  player.settings.patience = 0;
  player.play(800);
  EXPECT_NE(player.shown().find(" c "), std::string::npos) << player.shown();
  EXPECT_EQ(player.place.earlier.size(), 2u) << "a source that two items have is there once";
}

TEST(Schedule, AHoldEndsTheClipAndItsOwnEndWaitsForTheFallback) {
  Player player({"a", "b"});
  player.ready("a", 100);
  player.ready("b", 100);
  player.play(50);
  player.place.hold = true;
  player.play(180);
  EXPECT_EQ(player.shown(), "a 0-50, (a) 50-150");
  EXPECT_EQ(player.on_air.kind, PieceKind::fallback);
  EXPECT_EQ(player.on_air.stands_for, "b");
  player.place.hold = false;
  player.play(400);
  EXPECT_EQ(player.shown(), "a 0-50, (a) 50-150, (a) 150-250, b 250-350");
}

TEST(Schedule, TwoItemsOfOneMomentDoNotCutEachOtherWhateverTheClockShows) {
  Player player({"a"});
  player.ready("a", 100);
  for (const char *id : {"x", "y"}) {
    RundownItem &item = player.add(id);
    item.at = StartTime{kElevenOClock + std::chrono::seconds(10), std::chrono::milliseconds(0)};
    item.late = Late::cut;
    player.ready(id, 100);
  }
  player.play(260);
  // The same moment is another frame now, as for a clock that is looked at a little later.
  player.clock.wall -= std::chrono::milliseconds(30);
  player.play(500);
  EXPECT_EQ(player.shown(), "a 0-100, a 100-200, a 200-250, x 250-350, y 350-450");
}

TEST(Schedule, SkipsWhatIsOnTheAirAtOnce) {
  Player player({"a", "b"});
  player.ready("a", 100);
  player.ready("b", 100);
  player.play(40);
  player.skip = true;
  player.play(200);
  EXPECT_EQ(player.shown(), "a 0-40, b 40-140");
}

TEST(Schedule, NeverMakesAPieceEmptyOrACutTooEarly) {
  Player player({"a", "b"});
  player.ready("a", 100);
  player.ready("b", 100);
  player.play(101);
  const auto cut = [&](uint64_t earliest, bool skip) {
    return next_cut(player.rundown, player.place, player, player.settings, player.on_air, earliest,
                    player.clock, skip)
        .frame;
  };
  EXPECT_EQ(cut(0, true), 101u) << "b begins at frame 100";
  EXPECT_EQ(cut(150, true), 150u);
  EXPECT_EQ(cut(150, false), 200u);
  EXPECT_EQ(cut(250, false), 250u);
}

TEST(Schedule, EndsBehindTheLastItemWithoutALoop) {
  Player player({"a", "b"});
  player.settings.loop = false;
  player.ready("a", 100);
  player.ready("b", 100);
  player.play(1000);
  EXPECT_TRUE(player.ended);
  EXPECT_EQ(player.shown(), "a 0-100, b 100-200");
}

TEST(Schedule, WaitsForTheLastItemAsLongAsItsPatienceAndEnds) {
  Player player({"a", "b", "c"});
  player.settings.loop = false;
  player.settings.fallback = Fallback::slate;
  player.ready("a", 100);
  player.state("b", ItemState::planned);
  player.state("c", ItemState::planned);
  player.play(10 * kPatience);
  EXPECT_FALSE(player.ended) << "c may still come";
  player.state("c", ItemState::failed);
  player.play(11 * kPatience);
  EXPECT_TRUE(player.ended);
  EXPECT_EQ(player.told(), "b#0 planned, c#0 failed");

  Player last({"a", "b"});
  last.settings = player.settings;
  last.ready("a", 100);
  last.state("b", ItemState::planned);
  last.play(100 + kPatience);
  EXPECT_FALSE(last.ended);
  last.play(100 + kPatience + 1);
  EXPECT_TRUE(last.ended);
}

TEST(Schedule, DoesNotEndBeforeAClipThatIsPaidOrMayBe) {
  for (const ItemState state : {ItemState::generating, ItemState::vetting, ItemState::paid_unfetched}) {
    SCOPED_TRACE(to_word(state));
    Player player({"a", "b"});
    player.settings.loop = false;
    player.settings.fallback = Fallback::slate;
    player.ready("a", 100);
    player.state("b", state);
    player.play(10 * kPatience);
    EXPECT_FALSE(player.ended);
    Player hangs = player;
    player.ready("b", 100);
    player.play(11 * kPatience);
    EXPECT_TRUE(player.ended);
    EXPECT_EQ(player.told(), "");
    EXPECT_EQ(player.aired.back().first.id, "b");

    const uint64_t hour = 3600 * 25;
    hangs.play(100 + hour);
    EXPECT_FALSE(hangs.ended);
    hangs.play(100 + hour + 1);
    EXPECT_TRUE(hangs.ended);
    EXPECT_EQ(hangs.told(), std::string("b#0 ") + to_word(state));
  }
}

// A new file gives an item of yesterday its next date.
TEST(Schedule, InARundownThatEndsADateHasItsOwnTakeAlsoInItsOrder) {
  Player player({"a", "news"});
  player.settings.loop = false;
  player.settings.fallback = Fallback::slate;
  player.rundown.items[1].fresh = Fresh::each_turn;
  player.rundown.items[1].at = StartTime{kElevenOClock + std::chrono::seconds(4), {}};
  player.place.starts_over = {{"news", 1}};
  player.ready("a", 100);
  player.ready("news#0", 100);
  player.state("news#1", ItemState::generating);
  Player fails = player;
  player.play(10 * kPatience);
  EXPECT_FALSE(player.ended);
  player.ready("news#1", 100);
  player.play(11 * kPatience);
  EXPECT_TRUE(player.ended);
  EXPECT_EQ(player.aired.back().first.id, "news");
  EXPECT_EQ(player.aired.back().first.turn, 1u);
  EXPECT_EQ(player.told(), "");

  fails.state("news#1", ItemState::failed);
  fails.play(50);
  const auto next =
      upcoming(fails.rundown, fails.place, fails.settings, fails.on_air, fails.clock, 5, 0,
               [](const RundownItem &item, uint64_t turn) {
                 return item.id == "news" && turn == 1 ? std::nullopt : std::optional<uint64_t>(100);
               });
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].turn, 1u);
  EXPECT_TRUE(next[0].is_passed_over);
  fails.play(10 * kPatience);
  EXPECT_TRUE(fails.ended);
  EXPECT_EQ(fails.told(), "news#1 failed");
}

TEST(Schedule, SaysTheSameWheneverItIsAsked) {
  Player player({"a", "b", "c"});
  player.settings.fallback = Fallback::slate;
  player.ready("a", 100);
  player.state("b", ItemState::generating);
  player.ready("c", 100);
  player.play(100 + kPatience - kSlate + 1);  // The last slate before the patience is over.
  for (const uint64_t earliest : {player.now, player.now + 50, player.on_air.end()}) {
    const Cut cut = next_cut(player.rundown, player.place, player, player.settings, player.on_air, earliest,
                             player.clock);
    EXPECT_EQ(cut.frame, 100 + kPatience);
    ASSERT_TRUE(cut.piece);
    EXPECT_EQ(cut.piece->id, "c");
    EXPECT_EQ(cut.passed.size(), 1u);
  }
}

TEST(Schedule, ShowsTheSlateForARundownWithoutItems) {
  Player player;
  player.play(300);
  EXPECT_EQ(player.shown(), "slate 0-125, slate 125-250");
  EXPECT_FALSE(player.on_air.reason.empty());
  Player ends;
  ends.settings.loop = false;
  ends.play(300);
  EXPECT_TRUE(ends.ended);
}

TEST(Schedule, MovesNothingForACutThatItHasNotMade) {
  Player player({"a", "b"});
  player.ready("a", 100);
  player.play(50);
  Cut cut;
  cut.frame = 60;
  cut.piece = Piece{};
  EXPECT_EQ(after(player.rundown, player.place, player.settings, cut).next, "b");
}

// A long rundown takes no longer than a short one.
TEST(Schedule, DoesNotLookAtEveryItem) {
  if (!measures_time()) GTEST_SKIP() << "the suite timing measures";
  const auto cpu_time = [](size_t items) {
    Player player;
    for (size_t i = 0; i < items; ++i) {
      RundownItem item;
      item.id = "item" + std::to_string(i);
      player.rundown.items.push_back(item);
    }
    player.rundown.reindex();
    player.statuses["item0"] =
        player.statuses["item1"] = {ItemState::ready, "", media_of("x", std::chrono::seconds(4))};
    player.play(1);
    const std::clock_t begin = std::clock();
    for (int i = 0; i < 2000; ++i)
      EXPECT_TRUE(next_cut(player.rundown, player.place, player, player.settings, player.on_air, player.now,
                           player.clock)
                      .piece);
    return static_cast<double>(std::clock() - begin);
  };
  EXPECT_LT(cpu_time(17280), 20 * cpu_time(10) + CLOCKS_PER_SEC / 50.0);
}

}  // namespace
}  // namespace genclip::test
