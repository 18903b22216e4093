// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The automation over a stage that only counts frames.
#include "plugin/channel/automation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace genclip::test {
namespace {

using std::chrono::seconds;

constexpr uint64_t kMargin = 10;  // Frames between what leaves and the first that can still change.

// Shows what it is told, and fails what the test says.
class CountingStage final : public Stage {
 public:
  struct Taken {
    CueId cue = 0;
    uint64_t frame = 0, frames = 0;
  };

  CueId cue(const ReadyMedia &media, uint64_t) override {
    cues_[++last_] = {media.uri, now_ + delay_of[media.uri], false, 0};
    return last_;
  }
  CueState state(CueId cue) override {
    const Cue &asked = cues_.at(cue);
    if ((asked.failed && !is_sound_behind) || fails_to_open.contains(asked.uri)) return CueState::failed;
    return now_ >= asked.ready_at ? CueState::ready : CueState::preparing;
  }
  std::string failure(CueId cue) override {
    const Cue &asked = cues_.at(cue);
    return asked.failed || fails_to_open.contains(asked.uri) ? "It broke." : "";
  }
  uint64_t failure_frame(CueId cue) override { return cues_.at(cue).failure_frame; }
  bool take(CueId cue, uint64_t frame, uint64_t frames) override {
    EXPECT_GE(frame, earliest_frame()) << "too late to be shown";
    EXPECT_TRUE(cue == 0 || state(cue) == CueState::ready) << "not open yet";
    now_ += stops_for;
    if (std::exchange(stops_for, 0) > kMargin) return false;
    taken.push_back({cue, frame, frames});
    return true;
  }
  void drop(CueId cue) override {
    EXPECT_EQ(cues_.erase(cue), 1u) << "dropped twice";
    ++drops;
  }
  void end(uint64_t frame) override { ended_at = frame; }
  uint64_t frame() override { return now_; }
  uint64_t earliest_frame() override { return now_ + kMargin; }
  FrameTime clock() override { return {now_, wall_at({}, {0, wall_at_begin}, now_)}; }
  StageCounts counts() override { return {now_}; }

  void advance() { ++now_; }
  // What is on the air has failed: it showed its last frame before this one.
  void fail_on_air() {
    const auto last =
        std::find_if(taken.rbegin(), taken.rend(), [&](const Taken &one) { return one.frame <= now_; });
    ASSERT_NE(last, taken.rend());
    ASSERT_NE(last->cue, 0u);
    cues_.at(last->cue).failed = true;
    cues_.at(last->cue).failure_frame = now_;
  }
  size_t open_cues() const { return cues_.size(); }

  std::map<std::string, uint64_t> delay_of;  // Frames that it takes to open a URI.
  std::set<std::string> fails_to_open;
  std::vector<Taken> taken;
  std::optional<uint64_t> ended_at;
  size_t drops = 0;
  bool is_sound_behind = false;  // So that a failure on the air is not final.
  Clock::WallTime wall_at_begin = Clock::WallTime(seconds(1800000000));
  uint64_t stops_for = 0;  // The thread is stopped for so many frames within the next take().

 private:
  struct Cue {
    std::string uri;
    uint64_t ready_at = 0;
    bool failed = false;
    uint64_t failure_frame = 0;
  };
  std::map<CueId, Cue> cues_;
  CueId last_ = 0;
  uint64_t now_ = 0;
};

class TableShelf final : public Shelf {
 public:
  ItemStatus status(const std::string &id, uint64_t) const override {
    const auto found = all.find(id);
    return found == all.end() ? ItemStatus{} : found->second;
  }
  void put(const std::string &id, seconds length) { put_for(id, length); }
  void put_for(const std::string &id, std::chrono::nanoseconds length) {
    auto media = std::make_shared<ReadyMedia>();
    media->uri = "file:///" + id;
    media->source = media->uri;
    media->length = length;
    all[id] = {ItemState::ready, "", media};
  }
  void put(const std::string &id, ItemState state) { all[id] = {state, "As the test says.", nullptr}; }

  std::map<std::string, ItemStatus> all;
};

// What the automation tells.
class Log final : public AutomationListener {
 public:
  void on_item(const std::string &id, uint64_t, const ItemStatus &status) override {
    items.push_back(id + " " + to_word(status.state));
  }
  void on_air(const Piece &piece, Clock::WallTime) override { on_the_air.push_back(piece); }
  void on_state(const ChannelState &state) override { states.push_back(state); }
  void on_aired(const AsRunEntry &entry) override { aired.push_back(entry); }
  void on_next(const std::optional<Piece> &) override {}
  void on_end() override { has_ended = true; }

  std::vector<std::string> items;
  std::vector<Piece> on_the_air;
  std::vector<ChannelState> states;
  std::vector<AsRunEntry> aired;
  bool has_ended = false;
};

std::shared_ptr<const Rundown> rundown_of(const std::vector<std::string> &ids) {
  auto rundown = std::make_shared<Rundown>();
  for (const std::string &id : ids) {
    RundownItem item;
    item.id = id;
    item.title = "The " + id;
    item.source = "file:///" + id;
    rundown->items.push_back(item);
  }
  return rundown;
}

class AutomationAtWork : public ::testing::Test {
 protected:
  void begin(const std::vector<std::string> &ids, Place place = {}) {
    settings.run = "run-1";
    automation = std::make_unique<Automation>(settings, stage, shelf, log, rundown_of(ids), std::move(place));
  }
  void run(uint64_t frames) {
    for (uint64_t i = 0; i < frames; ++i) {
      automation->step();
      stage.advance();
    }
  }
  // "a 100-225": what was on the air, with its frames, and the slate as "-".
  std::vector<std::string> shown() {
    std::vector<std::string> all;
    for (const AsRunEntry &entry : log.aired)
      if (*entry.played_frames > 0)
        all.push_back((entry.piece.id.empty() ? "-" : entry.piece.id) + " " +
                      std::to_string(entry.piece.start) + "-" +
                      std::to_string(entry.piece.start + *entry.played_frames));
    return all;
  }
  // As when the process is stopped: frames leave, and nobody looks.
  void stop_for(uint64_t frames) {
    for (uint64_t i = 0; i < frames; ++i) stage.advance();
  }
  // Each frame belongs to one entry of the log, from the first to the last.
  void expect_no_gap() {
    uint64_t next = 0;
    for (const AsRunEntry &entry : log.aired) {
      EXPECT_EQ(entry.piece.start, next);
      next = entry.piece.start + *entry.played_frames;
    }
  }

  AutomationSettings settings;
  CountingStage stage;
  TableShelf shelf;
  Log log;
  std::unique_ptr<Automation> automation;
};

using Shown = std::vector<std::string>;

TEST_F(AutomationAtWork, ShowsItemsOneAfterTheOtherWithoutAGap) {
  for (const char *id : {"a", "b", "c"}) shelf.put(id, seconds(4));
  begin({"a", "b", "c"});
  run(1000);
  const uint64_t first = log.on_the_air.at(1).start;
  EXPECT_LE(first, 2 * kMargin) << "the first clip comes as soon as it is open";
  for (size_t i = 1; i < log.on_the_air.size(); ++i) {
    EXPECT_EQ(log.on_the_air[i].id, (Shown{"a", "b", "c"}[(i - 1) % 3]));
    EXPECT_EQ(log.on_the_air[i].start, first + (i - 1) * 100);
  }
  EXPECT_GE(log.on_the_air.size(), 9u);
  expect_no_gap();
}

// A clock without a battery may be years ahead until it is set by the network.
TEST_F(AutomationAtWork, ShowsAnItemAtItsTimeOnceAClockThatWasAheadIsSetBack) {
  for (const char *id : {"a", "noon"}) shelf.put(id, seconds(4));
  const Clock::WallTime right = stage.wall_at_begin;
  Rundown rundown = *rundown_of({"a", "noon"});
  rundown.items[1].at = StartTime{right + seconds(60), {}};
  stage.wall_at_begin = right + std::chrono::hours(400 * 24);
  settings.run = "run-1";
  automation =
      std::make_unique<Automation>(settings, stage, shelf, log, std::make_shared<const Rundown>(rundown),
                                   moved({}, rundown, {}, settings.schedule, stage.clock().wall));
  run(500);
  EXPECT_TRUE(automation->place().timed.empty());
  stage.wall_at_begin = right;
  run(2000);
  std::vector<Clock::WallTime> planned;
  for (const Piece &piece : log.on_the_air)
    if (piece.planned_at) planned.push_back(*piece.planned_at);
  EXPECT_EQ(planned, (std::vector<Clock::WallTime>{right + seconds(60)}));
  // What the network sets every hour is no reason to show it again.
  stage.wall_at_begin = right - seconds(50);
  run(100);
  EXPECT_TRUE(automation->place().timed.empty());
}

TEST_F(AutomationAtWork, SettlesACutOneSecondBefore) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  while (log.on_the_air.size() < 2) run(1);
  const uint64_t cut = log.on_the_air.back().end();
  while (stage.taken.size() < 2) run(1);
  EXPECT_EQ(stage.taken.back().frame, cut);
  // One step too early would let a clip that becomes ready in time come too late.
  EXPECT_EQ(cut - (stage.frame() - 1), settings.settle + kMargin);
}

TEST_F(AutomationAtWork, ShowsAFallbackWhileAnItemIsNotReady) {
  shelf.put("a", seconds(4));
  shelf.put("b", ItemState::generating);
  begin({"a", "b"});
  while (log.on_the_air.size() < 3) run(1);
  EXPECT_EQ(log.on_the_air[2].kind, PieceKind::fallback);
  EXPECT_EQ(log.on_the_air[2].stands_for, "b");
  EXPECT_FALSE(log.on_the_air[2].reason.empty());
  shelf.put("b", seconds(4));
  while (log.on_the_air.size() < 4) run(1);
  EXPECT_EQ(log.on_the_air[3].id, "b");
  EXPECT_EQ(log.on_the_air[3].start, log.on_the_air[2].end()) << "a fallback is shown whole";
  expect_no_gap();
}

TEST_F(AutomationAtWork, CountsTheFirstSlateAsPatience) {
  settings.schedule.patience = 25;
  shelf.put("a", ItemState::generating);
  shelf.put("b", seconds(4));
  begin({"a", "b"});
  run(180);
  ASSERT_GE(log.on_the_air.size(), 2u);
  EXPECT_EQ(log.on_the_air[0].stands_for, "a");
  EXPECT_EQ(log.on_the_air[0].reason, "The channel starts.");
  EXPECT_EQ(log.on_the_air[1].id, "b");
  EXPECT_LE(log.on_the_air[1].start, settings.schedule.slate_step);
  EXPECT_EQ(std::ranges::count(log.items, "a generating"), 1) << "it lost its turn";
  expect_no_gap();
}

TEST_F(AutomationAtWork, TakesAnItemThatBecomesReadyBeforeTheCutIsSettled) {
  shelf.put("a", seconds(4));
  shelf.put("b", ItemState::generating);
  begin({"a", "b"});
  while (log.on_the_air.size() < 2) run(1);
  run(100 - settings.settle - kMargin - 5);
  shelf.put("b", seconds(4));
  while (log.on_the_air.size() < 3) run(1);
  EXPECT_EQ(log.on_the_air[2].id, "b");
  EXPECT_GE(stage.drops, 1u) << "the fallback that was cued is let go";
}

TEST_F(AutomationAtWork, SaysThatAClipWasTooShortForTheNextOneToBeOpened) {
  const std::vector<std::string> ids = {"a", "b", "c", "d", "e"};
  for (size_t i = 0; i < ids.size(); ++i) shelf.put_for(ids[i], std::chrono::milliseconds(40 * (i + 1)));
  begin(ids);
  run(1000);
  size_t slates = 0;
  Shown order;
  for (size_t i = 1; i < log.on_the_air.size(); ++i) {
    const Piece &piece = log.on_the_air[i];
    if (piece.kind == PieceKind::clip) order.push_back(piece.id);
    if (piece.kind != PieceKind::slate) continue;
    ++slates;
    EXPECT_THAT(piece.reason, testing::HasSubstr("too short"));
    EXPECT_LE(log.on_the_air[i].start, log.on_the_air[i - 1].end());
  }
  EXPECT_GT(slates, 10u);
  ASSERT_GT(order.size(), 10u);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], ids[i % ids.size()]) << "none is left out";
  expect_no_gap();
}

TEST_F(AutomationAtWork, PassesOverAClipThatCannotBeOpened) {
  for (const char *id : {"a", "b", "c"}) shelf.put(id, seconds(4));
  stage.fails_to_open.insert("file:///b");
  begin({"a", "b", "c"});
  while (log.on_the_air.size() < 3) run(1);
  EXPECT_EQ(log.on_the_air[1].id, "a");
  EXPECT_EQ(log.on_the_air[2].id, "c");
  EXPECT_EQ(log.on_the_air[2].start, log.on_the_air[1].end());
  EXPECT_TRUE(std::ranges::count(log.items, "b failed")) << "it is told";
}

TEST_F(AutomationAtWork, ShowsTheSlateUntilALateCueIsOpen) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  stage.delay_of["file:///b"] = 150;
  begin({"a", "b"});
  while (log.on_the_air.size() < 4) run(1);
  EXPECT_EQ(log.on_the_air[2].kind, PieceKind::slate);
  EXPECT_EQ(log.on_the_air[2].stands_for, "b");
  EXPECT_FALSE(log.on_the_air[2].reason.empty());
  EXPECT_EQ(log.on_the_air[3].id, "b");
  EXPECT_LT(log.on_the_air[3].start, log.on_the_air[2].start + 100) << "the slate ends when b is open";
  expect_no_gap();
}

TEST_F(AutomationAtWork, TheSlateBetweenTwoFallbacksStandsForTheItemToo) {
  auto rundown = std::make_shared<Rundown>(*rundown_of({"a"}));
  rundown->fallback = {"file:///f", "file:///g"};
  shelf.put("a", ItemState::generating);
  for (const std::string &id : {fallback_id(0), fallback_id(1)}) {
    shelf.put(id, seconds(1));
    stage.delay_of["file:///" + id] = 60;
  }
  automation = std::make_unique<Automation>(settings, stage, shelf, log, rundown, Place{});
  run(500);
  EXPECT_GT(std::ranges::count(log.on_the_air, "The next clip is not open yet.", &Piece::reason), 1);
  for (const Piece &piece : log.on_the_air) EXPECT_EQ(piece.stands_for, "a") << piece.start;
  expect_no_gap();
}

TEST_F(AutomationAtWork, GivesWayToTheSlateAndTheNextClipWhenAClipFailsOnTheAir) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(20));
  begin({"a", "b"});
  run(200);
  stage.fail_on_air();
  const uint64_t failed = stage.frame();
  run(100);
  ASSERT_GE(log.on_the_air.size(), 4u);
  EXPECT_EQ(log.on_the_air[2].kind, PieceKind::slate);
  EXPECT_EQ(log.on_the_air[2].start, failed);
  EXPECT_EQ(log.on_the_air[2].stands_for, "a");
  EXPECT_EQ(log.on_the_air[2].reason, "It broke.");
  EXPECT_EQ(log.on_the_air[3].id, "b");
  EXPECT_LE(log.on_the_air[3].start, failed + 2 * kMargin);
  EXPECT_TRUE(std::ranges::count(log.items, "a failed"));
  EXPECT_FALSE(std::ranges::count(log.items, "a aired"));
  expect_no_gap();
}

TEST_F(AutomationAtWork, ShowsAClipAgainThatFailedAWhileAgo) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  const auto last_start_of_a = [&] {
    uint64_t last = 0;
    for (const Piece &piece : log.on_the_air)
      if (piece.id == "a" && piece.kind == PieceKind::clip) last = piece.start;
    return last;
  };
  // It doubles with each failure.
  for (uint64_t pause = 60 * 25; pause <= 8 * 60 * 25; pause *= 2) {
    while (log.on_the_air.back().id != "a" || log.on_the_air.back().kind != PieceKind::clip) run(1);
    run(20);
    stage.fail_on_air();
    const uint64_t failed = stage.frame();
    run(pause - 10);
    EXPECT_LT(last_start_of_a(), failed) << "not within " << pause;
    run(300);
    EXPECT_GT(last_start_of_a(), failed) << "again after " << pause;
  }
  expect_no_gap();
}

TEST_F(AutomationAtWork, TellsAFailureShortlyBeforeACutAlsoIfTheNextClipHasBegun) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  while (log.on_the_air.size() < 2) run(1);
  const uint64_t begun = log.on_the_air[1].start, end = log.on_the_air[1].end();
  run(end - 5 - stage.frame());
  stage.fail_on_air();
  stop_for(20);
  run(100);
  ASSERT_GE(log.on_the_air.size(), 4u);
  const auto text = [](const char *id, uint64_t from, uint64_t to) {
    return id + (" " + std::to_string(from)) + "-" + std::to_string(to);
  };
  const Shown told = shown();
  ASSERT_GE(told.size(), 3u);
  EXPECT_EQ(told[1], text("a", begun, end - 5));
  EXPECT_EQ(told[2], text("-", end - 5, end));
  EXPECT_EQ(log.on_the_air[3].id, "b");
  EXPECT_TRUE(std::ranges::count(log.items, "a failed"));
  EXPECT_FALSE(std::ranges::count(log.items, "a aired"));
  expect_no_gap();
}

TEST_F(AutomationAtWork, TellsAFailureThatWasNotFinalWhenTheClipWasOver) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  while (log.on_the_air.size() < 2) run(1);
  run(20);
  stage.fail_on_air();
  stage.is_sound_behind = true;
  const uint64_t failed = stage.frame();
  stop_for(250);
  run(60);
  ASSERT_GE(log.on_the_air.size(), 4u);
  EXPECT_EQ(log.on_the_air[2].kind, PieceKind::slate);
  EXPECT_EQ(log.on_the_air[2].start, failed);
  EXPECT_EQ(log.on_the_air[2].reason, "It broke.");
  EXPECT_EQ(log.on_the_air[3].id, "b");
  expect_no_gap();
}

TEST_F(AutomationAtWork, TellsTheSlateThatCameWhileItWasStopped) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  while (log.on_the_air.size() < 2) run(1);
  const uint64_t end = log.on_the_air[1].end();
  stop_for(250);
  run(60);
  ASSERT_GE(log.on_the_air.size(), 4u);
  EXPECT_EQ(log.on_the_air[2].kind, PieceKind::slate);
  EXPECT_EQ(log.on_the_air[2].start, end);
  EXPECT_FALSE(log.on_the_air[2].reason.empty());
  EXPECT_EQ(log.on_the_air[3].id, "b");
  EXPECT_LE(log.on_the_air[3].start, stage.frame());
  expect_no_gap();
}

TEST_F(AutomationAtWork, LooksAgainIfItWasStoppedWhileItMadeACut) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  while (log.on_the_air.size() < 2) run(1);
  stage.stops_for = 150;
  run(150);
  ASSERT_GE(log.on_the_air.size(), 4u);
  EXPECT_EQ(log.on_the_air[2].kind, PieceKind::slate);
  EXPECT_EQ(log.on_the_air[2].start, log.on_the_air[1].end());
  EXPECT_EQ(log.on_the_air[3].id, "b");
  EXPECT_EQ(std::ranges::count(log.items, "b cued"), 1);
  expect_no_gap();
}

TEST_F(AutomationAtWork, SkipsToTheNextItemAsSoonAsItIsOpen) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(20));
  stage.delay_of["file:///b"] = 100;
  begin({"a", "b"});
  run(50);
  automation->skip();
  run(150);
  ASSERT_GE(log.on_the_air.size(), 3u);
  EXPECT_EQ(log.on_the_air[2].id, "b");
  EXPECT_LT(log.on_the_air[2].start, 200u);
  EXPECT_EQ(log.on_the_air.size(), 3u) << "one command skips one item";
  expect_no_gap();
}

TEST_F(AutomationAtWork, TellsThatAClipWasSkippedAndFillsNoHoleWithIt) {
  shelf.put("a", seconds(20));
  shelf.put("b", ItemState::generating);
  begin({"a", "b"});
  run(50);
  automation->skip();
  run(150);
  ASSERT_GE(log.on_the_air.size(), 3u);
  EXPECT_EQ(log.on_the_air[2].kind, PieceKind::slate) << "not a again";
  EXPECT_EQ(log.on_the_air[2].stands_for, "b");
  EXPECT_EQ(std::ranges::count(log.items, "a skipped"), 1);
  EXPECT_EQ(std::ranges::count(log.items, "a aired"), 0);
  EXPECT_EQ(log.aired[1].piece.id, "a");
  EXPECT_EQ(log.aired[1].piece.reason, "It was skipped.");
  expect_no_gap();
}

TEST_F(AutomationAtWork, ASkipThatComesWhenTheNextClipIsSettledSkipsNothing) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  while (stage.taken.size() < 2) run(1);
  automation->skip();
  while (log.on_the_air.size() < 3) run(1);
  EXPECT_EQ(log.on_the_air[2].id, "b");
  run(50);
  EXPECT_EQ(log.on_the_air.size(), 3u) << "b is shown whole";
  EXPECT_EQ(std::ranges::count(log.items, "a aired"), 1);
}

TEST_F(AutomationAtWork, TellsWhatAClipHasCostWithTheFirstLineOfIt) {
  std::map<std::string, double> costs = {{"a", 2.5}, {"b", 4}};
  for (const auto &[id, cost] : costs) {
    auto media = std::make_shared<ReadyMedia>();
    media->uri = media->source = "file:///" + id;
    media->length = seconds(2);
    media->credits = cost;
    shelf.all[id] = {ItemState::ready, "", media};
  }
  shelf.put("stored", seconds(2));
  begin({"a", "b", "stored"});
  run(1000);
  double sum = 0;
  for (const AsRunEntry &entry : log.aired) {
    sum += entry.credits;
    if (entry.credits == 0) continue;
    EXPECT_EQ(entry.credits, std::exchange(costs[entry.piece.id], 0)) << entry.piece.id;
  }
  EXPECT_GT(log.aired.size(), 10u);
  EXPECT_EQ(sum, 6.5);
}

TEST_F(AutomationAtWork, HoldsWithAFallbackUntilItIsReleased) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  begin({"a", "b"});
  run(50);
  automation->hold(true);
  run(20);
  EXPECT_NE(log.on_the_air.back().kind, PieceKind::clip) << "it does not wait for the end of the clip";
  run(380);
  for (size_t i = 2; i < log.on_the_air.size(); ++i) EXPECT_NE(log.on_the_air[i].kind, PieceKind::clip);
  for (const size_t pieces = log.on_the_air.size(); log.on_the_air.size() == pieces;) run(1);
  automation->hold(false);
  const Piece held = log.on_the_air.back();
  run(110);
  EXPECT_EQ(log.on_the_air.back().id, "b");
  EXPECT_EQ(log.on_the_air.back().start, held.end()) << "it goes on behind the fallback";
}

TEST_F(AutomationAtWork, AClipThatIsNeverOpenIsGivenUp) {
  for (const char *id : {"a", "b", "c"}) shelf.put(id, seconds(4));
  stage.delay_of["file:///b"] = 1'000'000;
  begin({"a", "b", "c"});
  run(25 * 20);
  EXPECT_NE(std::find(log.items.begin(), log.items.end(), "b failed"), log.items.end());
  EXPECT_TRUE(std::any_of(log.on_the_air.begin(), log.on_the_air.end(),
                          [](const Piece &piece) { return piece.id == "c"; }));
  expect_no_gap();
}

TEST_F(AutomationAtWork, EndsAfterTheLastItemWithoutALoop) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  settings.schedule.loop = false;
  begin({"a", "b"});
  run(400);
  EXPECT_TRUE(log.has_ended);
  ASSERT_TRUE(stage.ended_at);
  EXPECT_EQ(*stage.ended_at, log.aired.back().piece.end());
  EXPECT_EQ(log.aired.back().piece.id, "b");
}

TEST_F(AutomationAtWork, EndsBehindTheClipOrAtOnce) {
  shelf.put("a", seconds(20));
  begin({"a"});
  run(50);
  automation->end(Automation::End::behind_clip);
  run(20);
  EXPECT_FALSE(stage.ended_at) << "the clip goes on";
  automation->end(Automation::End::at_once);
  const uint64_t told = stage.frame();
  run(50);
  EXPECT_TRUE(log.has_ended);
  ASSERT_TRUE(stage.ended_at);
  EXPECT_LE(*stage.ended_at, told + 2 * kMargin);
}

TEST_F(AutomationAtWork, EndsBehindTheClipThatIsOnTheAirThoughTheNextOneIsSettled) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(20));
  for (const auto kind : {Automation::End::behind_clip, Automation::End::at_once}) {
    automation.reset();
    stage = CountingStage();
    log = Log();
    begin({"a", "b"});
    while (stage.taken.size() < 2) run(1);
    const uint64_t cut = stage.taken.back().frame, told = stage.frame();
    automation->end(kind);
    EXPECT_TRUE(automation->ends());
    run(60);
    ASSERT_TRUE(log.has_ended);
    EXPECT_LE(*stage.ended_at, kind == Automation::End::at_once ? told + 2 * kMargin : cut);
    EXPECT_GE(*stage.ended_at, kind == Automation::End::at_once ? told : cut);
    EXPECT_EQ(log.on_the_air.back().id, "a");
    EXPECT_EQ(log.states.back().place.next, "b") << "the next run begins with it";
    expect_no_gap();
  }
}

// Too late for the cut.
TEST_F(AutomationAtWork, EndsAsSoonAsItCanIfTheNextClipHasAsGoodAsBegun) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(20));
  begin({"a", "b"});
  while (stage.taken.size() < 2) run(1);
  const uint64_t cut = stage.taken.back().frame;
  while (stage.frame() + kMargin / 2 < cut) run(1);
  automation->end(Automation::End::behind_clip);
  run(60);
  ASSERT_TRUE(log.has_ended);
  EXPECT_EQ(log.aired.back().piece.id, "b");
  EXPECT_LE(*stage.ended_at, cut + 2 * kMargin);
  expect_no_gap();
}

TEST_F(AutomationAtWork, TellsTheStateBehindWhatIsOnTheAir) {
  for (const char *id : {"a", "b", "c"}) shelf.put(id, seconds(4));
  begin({"a", "b", "c"});
  run(50);
  ASSERT_FALSE(log.states.empty());
  EXPECT_EQ(log.states.back().on_air, "a");
  EXPECT_EQ(log.states.back().place.next, "b");
  EXPECT_EQ(log.states.back().run, "run-1");
  automation.reset();
  const Place place = log.states.back().place;
  begin({"a", "b", "c"}, place);
  run(50);
  EXPECT_EQ(log.on_the_air.back().id, "b") << "a channel that was killed goes on behind it";
}

TEST_F(AutomationAtWork, ThatWasKilledDuringTheLastItemEndsWhenItIsStartedAgain) {
  for (const char *id : {"a", "b"}) shelf.put(id, seconds(4));
  settings.schedule.loop = false;
  begin({"a", "b"});
  for (int i = 0; i < 400 && (log.on_the_air.empty() || log.on_the_air.back().id != "b"); ++i) run(1);
  ASSERT_EQ(log.states.back().place.last, "b");
  automation.reset();
  const size_t shown = log.on_the_air.size();
  begin({"a", "b"}, moved({}, *rundown_of({"a", "b"}), log.states.back().place, settings.schedule, {}));
  run(400);
  EXPECT_TRUE(log.has_ended);
  for (size_t i = shown; i < log.on_the_air.size(); ++i)
    EXPECT_EQ(log.on_the_air[i].kind, PieceKind::slate) << log.on_the_air[i].id << " is shown again";
}

TEST_F(AutomationAtWork, TellsWhatWasOnTheAirWhenItStops) {
  shelf.put("a", seconds(20));
  begin({"a"});
  run(100);
  automation->stop();
  ASSERT_FALSE(log.aired.empty());
  EXPECT_EQ(log.aired.back().piece.id, "a");
  EXPECT_EQ(log.aired.back().piece.start + *log.aired.back().played_frames, stage.frame());
}

TEST_F(AutomationAtWork, KeepsWhatIsOnTheAirAndSettledInANewRundown) {
  for (const char *id : {"a", "b", "c", "new"}) shelf.put(id, seconds(4));
  begin({"a", "b", "c"});
  while (stage.taken.size() < 2) run(1);  // b is settled.
  automation->set_rundown(rundown_of({"new", "a", "b", "c"}));
  run(250);
  ASSERT_GE(log.on_the_air.size(), 4u);
  EXPECT_EQ(log.on_the_air[1].id, "a");
  EXPECT_EQ(log.on_the_air[2].id, "b");
  EXPECT_EQ(log.on_the_air[3].id, "c") << "the place is kept by ID";
  expect_no_gap();
}

TEST_F(AutomationAtWork, ShowsAFallbackWhenTheLastItemWasTakenOut) {
  shelf.put("a", seconds(4));
  begin({"a"});
  run(50);
  automation->set_rundown(rundown_of({}));
  run(400);
  automation->stop();
  expect_no_gap();
  EXPECT_NE(log.aired.back().piece.kind, PieceKind::clip);
}

// Random readiness, delays, failures and commands: no frame is without its entry, and no cue is forgotten.
TEST_F(AutomationAtWork, LeavesNoFrameUntoldWhateverHappens) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::minstd_rand random(seed);
    const auto one_in = [&](unsigned n) { return random() % n == 0; };
    automation.reset();
    stage = CountingStage();
    shelf = TableShelf();
    log = Log();
    const Shown ids = {"a", "b", "c", "d", "e"};
    for (const std::string &id : ids) stage.delay_of["file:///" + id] = random() % 60;
    begin(ids);
    for (int i = 0; i < 1000; ++i) {
      if (one_in(200)) shelf.put(ids[random() % ids.size()], seconds(1 + random() % 8));
      if (one_in(400)) shelf.put(ids[random() % ids.size()], ItemState::generating);
      if (one_in(900)) shelf.put(ids[random() % ids.size()], ItemState::failed);
      if (one_in(700)) automation->skip();
      if (one_in(1200)) stop_for(random() % 300);
      if (one_in(1200)) stage.stops_for = random() % 300;
      if (one_in(900)) automation->hold(one_in(3));
      if (one_in(1500)) {
        stage.fails_to_open.clear();
        stage.fails_to_open.insert("file:///" + ids[random() % ids.size()]);
      }
      run(1);
    }
    if (one_in(2)) {
      automation->end(one_in(2) ? Automation::End::at_once : Automation::End::behind_clip);
      run(400);
      EXPECT_TRUE(log.has_ended);
    }
    automation->stop();
    expect_no_gap();
    EXPECT_EQ(log.aired.back().piece.start + *log.aired.back().played_frames,
              log.has_ended ? *stage.ended_at : stage.frame());
    EXPECT_LE(stage.open_cues(), stage.taken.size()) << "what was not taken is dropped";
    for (const AsRunEntry &entry : log.aired) {
      if (entry.piece.kind != PieceKind::clip) {
        EXPECT_FALSE(entry.piece.reason.empty());
      }
    }
  }
}

}  // namespace
}  // namespace genclip::test
