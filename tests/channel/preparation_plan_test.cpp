// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The preparer's decisions alone: the rules one by one, then random lives of a channel against a model of the
// service and the store.
#include "plugin/channel/preparation_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <set>

#include "tests/support/sanitized.h"

namespace genclip::test {
namespace {

using Kind = PlanAction::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Clock::Time kStart{std::chrono::hours(1)};

PlannedWish wish(const std::string &id, uint64_t turn = 0, bool is_fresh = false) {
  PlannedWish wish;
  wish.key = {id, turn};
  wish.source = wish.request = "genclip://dance-2.5?prompt=" + id;
  wish.is_generated = true;
  wish.is_fresh = is_fresh;
  wish.take = static_cast<unsigned>(turn);
  return wish;
}

GenerationEnd ended(Outcome outcome, bool may_pass = false) {
  GenerationEnd end;
  end.outcome = outcome;
  end.may_pass = may_pass;
  end.text = "It ended.";
  return end;
}

GenerationEnd halted(bool is_key) {
  GenerationEnd end = ended(is_key ? Outcome::refused : Outcome::not_submitted);
  end.halt = Halt{};
  end.halt->notice.is_key = is_key;
  end.halt->bars_queries = is_key;
  return end;
}

GenerationEnd full(Outcome outcome) {
  GenerationEnd end = ended(outcome, true);
  end.is_full = true;
  return end;
}

class Plan : public testing::Test {
 protected:
  // Surveys find nothing.
  std::vector<PlanAction> next() {
    std::vector<PlanAction> others;
    for (bool is_surveying = true; is_surveying;) {
      is_surveying = false;
      for (const PlanAction &action : plan_.next(now_)) {
        if (action.kind != Kind::survey) {
          others.push_back(action);
          continue;
        }
        is_surveying = true;
        plan_.surveyed(action.key, surveys_[action.key], now_);
      }
    }
    return others;
  }
  static std::vector<std::string> ids(const std::vector<PlanAction> &actions, Kind kind) {
    std::vector<std::string> ids;
    for (const PlanAction &action : actions)
      if (action.kind == kind) ids.push_back(action.key.id);
    return ids;
  }
  ItemState state(const std::string &id) { return plan_.status({id, 0}).state; }

  PreparationPlan plan_{3, OnUnknown::skip};
  std::map<WishKey, Survey> surveys_;
  Clock::Time now_ = kStart;
};

TEST_F(Plan, SubmitsOneAMinuteAtMostWhileTheDiskIsFull) {
  plan_.want({wish("a"), wish("b"), wish("c")});
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a", "b", "c"));
  plan_.generated({"a", 0}, full(Outcome::not_submitted), now_);
  EXPECT_TRUE(plan_.is_disk_full());
  EXPECT_THAT(ids(next(), Kind::abandon), ElementsAre("b", "c")) << "they have not been submitted";
  now_ += std::chrono::seconds(59);
  EXPECT_THAT(next(), IsEmpty());
  EXPECT_EQ(plan_.due(now_), kStart + std::chrono::minutes(1));
  now_ += std::chrono::seconds(1);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  EXPECT_FALSE(plan_.is_disk_full());
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("b", "c"));
}

TEST_F(Plan, PaysNothingWhileAPaidClipFindsNoRoom) {
  plan_.want({wish("a"), wish("b")});
  next();
  plan_.accepted({"a", 0}, true);
  plan_.generated({"a", 0}, full(Outcome::paid_unfetched), now_);
  next();
  EXPECT_EQ(state("a"), ItemState::paid_unfetched);
  for (int minute = 0; minute < 30; ++minute) {
    now_ += std::chrono::minutes(1);
    for (const PlanAction &action : next()) {
      EXPECT_EQ(action.key.id, "a");
      EXPECT_EQ(action.may_submit, MaySubmit::never);
      plan_.generated(action.key, full(Outcome::paid_unfetched), now_);
    }
  }
  now_ += std::chrono::minutes(10);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("b"));
}

TEST_F(Plan, WaitsLongerFromTryToTryUpToTenMinutes) {
  plan_.want({wish("a")});
  next();
  plan_.generated({"a", 0}, ended(Outcome::paid_unfetched, true), now_);
  std::vector<int64_t> pauses;
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(next(), IsEmpty());
    const auto due = plan_.due(now_);
    ASSERT_TRUE(due);
    pauses.push_back(std::chrono::duration_cast<std::chrono::seconds>(*due - now_).count());
    now_ = *due;
    const auto actions = next();
    ASSERT_EQ(actions.size(), 1u);
    EXPECT_EQ(actions[0].may_submit, MaySubmit::never);
    plan_.generated({"a", 0}, ended(Outcome::paid_unfetched, true), now_);
  }
  EXPECT_THAT(pauses, ElementsAre(5, 10, 20, 40, 80, 160, 320, 600, 600, 600));
}

TEST_F(Plan, RepeatsTheLastTakeWhileNoBudgetEndsFreshTakes) {
  surveys_[{"b", 3}].last_take = 2;
  plan_.want({wish("a"), wish("b", 3, true), wish("c", 0, true)});
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a", "b", "c"));
  EXPECT_FALSE(plan_.notice());
  plan_.submits({"c", 0}, true);
  plan_.set_bound(false);
  const auto actions = next();
  EXPECT_THAT(ids(actions, Kind::abandon), ElementsAre("b")) << "c is on its way";
  ASSERT_THAT(ids(actions, Kind::generate), ElementsAre("b"));
  EXPECT_EQ(actions.back().take, 2u);
  EXPECT_EQ(actions.back().may_submit, MaySubmit::never);
  plan_.generated({"b", 3}, ended(Outcome::stored), now_);
  next();
  plan_.vetted({"b", 3}, "");
  EXPECT_EQ(plan_.status({"b", 3}).state, ItemState::ready);
  plan_.want({wish("a"), wish("d"), wish("e", 1, true)});
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("d")) << "what is paid once goes on";
  EXPECT_EQ(plan_.status({"e", 1}).state, ItemState::budget);
  EXPECT_THAT(plan_.status({"e", 1}).reason, HasSubstr("budget set"));
  ASSERT_TRUE(plan_.notice());
  EXPECT_FALSE(plan_.notice()->is_key);
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  plan_.generated({"d", 0}, ended(Outcome::stored), now_);
  plan_.set_bound(true);
  EXPECT_FALSE(plan_.notice());
  EXPECT_THAT(plan_.status({"e", 1}).state, ItemState::planned);
}

TEST_F(Plan, LetsARequestThatIsOnItsWayBe) {
  plan_.want({wish("a"), wish("b"), wish("c")});
  next();
  plan_.submits({"b", 0}, true);
  plan_.accepted({"c", 0}, true);
  plan_.generated({"a", 0}, halted(true), now_);
  EXPECT_THAT(ids(next(), Kind::abandon), IsEmpty());
}

TEST_F(Plan, LeavesTheBudgetToRefuseWhatIsAtWork) {
  plan_.want({wish("a"), wish("b"), wish("c"), wish("d")});
  next();
  plan_.generated({"c", 0}, halted(false), now_);
  EXPECT_THAT(next(), IsEmpty()) << "a or b may have the last place of the budget";
  EXPECT_EQ(state("a"), ItemState::generating);
  EXPECT_EQ(state("d"), ItemState::budget);
  plan_.generated({"b", 0}, halted(false), now_);
  EXPECT_EQ(state("b"), ItemState::budget);
}

TEST_F(Plan, StopsWhatIsNotSubmittedYetWhenSubmitsAreHalted) {
  plan_.want({wish("a"), wish("b"), wish("c")});
  next();
  plan_.generated({"a", 0}, halted(true), now_);
  EXPECT_THAT(ids(next(), Kind::abandon), ElementsAre("b", "c"));
  EXPECT_EQ(state("b"), ItemState::budget);
}

TEST_F(Plan, PutsNothingOffWhenAnotherItemIsRefused) {
  plan_.want({wish("a"), wish("b")});
  next();
  plan_.submits({"b", 0}, true);
  GenerationEnd end = halted(false);
  end.halt->notice.text = "The first refusal.";
  plan_.generated({"a", 0}, end, now_);
  now_ += std::chrono::seconds(30);
  plan_.generated({"b", 0}, halted(false), now_);
  EXPECT_EQ(plan_.due(now_), kStart + std::chrono::minutes(1));
  EXPECT_EQ(plan_.halt()->notice.text, "The first refusal.");
}

// Of paid tasks nothing is heard any more, and who tops up the account does not renew the key.
TEST_F(Plan, AKeyThatIsRefusedIsToldThoughTheAccountIsEmpty) {
  GenerationEnd empty = halted(true);
  empty.halt->notice.lacks_credits = true;
  const Halt key = *halted(true).halt;
  EXPECT_FALSE(is_same_reason(*empty.halt, key));
  EXPECT_TRUE(is_same_reason(key, *empty.halt));
  EXPECT_TRUE(is_same_reason(key, key));
  EXPECT_FALSE(is_same_reason(key, *halted(false).halt));
  EXPECT_FALSE(is_same_reason(*halted(false).halt, key));
}

TEST_F(Plan, LooksAtTheBudgetOnceAMinute) {
  plan_.want({wish("a")});
  next();
  plan_.generated({"a", 0}, halted(false), now_);
  EXPECT_THAT(next(), IsEmpty());
  for (int minute = 0; minute < 5; ++minute) {
    EXPECT_EQ(plan_.due(now_), now_ + std::chrono::minutes(1));
    now_ += std::chrono::minutes(1);
    EXPECT_THAT(ids(next(), Kind::look_at_budget), testing::SizeIs(1));
    plan_.budget_looked(false, now_);
  }
  plan_.budget_looked(true, now_);
  EXPECT_FALSE(plan_.halt());
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
}

TEST_F(Plan, AReloadTriesTheBudgetAndTheKeyAgain) {
  for (const bool is_key : {false, true}) {
    plan_ = PreparationPlan(3, OnUnknown::skip);
    plan_.want({wish("a")});
    next();
    plan_.generated({"a", 0}, halted(is_key), now_);
    plan_.reload(now_);
    EXPECT_FALSE(plan_.halt());
    EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
  }
}

TEST_F(Plan, WhatIsCheaperDoesNotWaitForAClipThatNobodyWantsAnyMore) {
  GenerationEnd dear = halted(false);
  dear.halt->estimate = 60;
  PlannedWish other = wish("dear");
  other.request += "-cheaper";
  const std::vector<PlannedWish> without[] = {{wish("a")}, {other, wish("a")}};
  for (const auto &later : without) {
    plan_ = PreparationPlan(3, OnUnknown::skip);
    plan_.want({wish("dear"), wish("a")});
    next();
    plan_.generated({"dear", 0}, dear, now_);
    plan_.want({wish("a"), wish("dear")});
    ASSERT_TRUE(plan_.halt());
    EXPECT_EQ(plan_.halt()->estimate, 60) << "it is wanted";
    plan_.want(later);
    ASSERT_TRUE(plan_.halt()) << "nobody knows whether there is any room";
    EXPECT_EQ(plan_.halt()->estimate, -1);
  }
}

// As the ledger refuses a clip.
GenerationEnd refused(const char *budget, double estimate, double limit) {
  Error error{ErrorKind::not_authorized, "Nothing was sent."};
  error.details = {{"budget", std::string(budget)},
                   {"limit", limit},
                   {"estimate", estimate},
                   {"outcome", std::string("not-submitted")},
                   {"retry", true}};
  return generation_end(error, "", {});
}

TEST_F(Plan, AClipThatIsDearerThanALimitIsNotWaitedFor) {
  for (const char *budget : {"per-day", "per-month", "total"}) {
    SCOPED_TRACE(budget);
    const GenerationEnd dear = refused(budget, 100.5, 100);
    EXPECT_TRUE(dear.is_too_dear);
    EXPECT_FALSE(dear.may_pass);
    EXPECT_FALSE(dear.halt);
    const GenerationEnd later = refused(budget, 100, 100);
    EXPECT_FALSE(later.is_too_dear);
    EXPECT_TRUE(later.may_pass);
    ASSERT_TRUE(later.halt);
    EXPECT_EQ(later.halt->estimate, 100);
    EXPECT_TRUE(refused(budget, -1, 100).halt) << "its price is unknown";
  }
  EXPECT_TRUE(refused("tasks-per-day", 100, 2).halt) << "which are no credits";
  EXPECT_TRUE(refused("budget.json", 100, 0).halt);
  for (const char *budget : {"per-clip", "max-amount"}) EXPECT_TRUE(refused(budget, 5, 3).is_too_dear);
}

TEST_F(Plan, AClipThatNoLimitAllowsStopsNothingElse) {
  plan_.want({wish("dear"), wish("a")});
  next();
  GenerationEnd end = ended(Outcome::not_submitted);
  end.is_too_dear = true;
  plan_.generated({"dear", 0}, end, now_);
  EXPECT_FALSE(plan_.halt());
  EXPECT_THAT(ids(next(), Kind::abandon), IsEmpty());
  EXPECT_EQ(state("dear"), ItemState::failed);
  EXPECT_EQ(state("a"), ItemState::generating);
  plan_.reload(now_);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("dear")) << "the limit may be another one now";
}

TEST_F(Plan, ASurveyThatHangsHoldsUpNothingElse) {
  surveys_[{"hung", 0}].hangs = true;
  plan_.want({wish("hung"), wish("a")});
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
  EXPECT_EQ(state("hung"), ItemState::failed) << "it is passed over";
  EXPECT_THAT(plan_.status({"hung", 0}).reason, HasSubstr("does not answer"));
  std::vector<int64_t> pauses;
  for (int i = 0; i < 10; ++i) {
    const auto due = plan_.due(now_);
    ASSERT_TRUE(due);
    pauses.push_back(std::chrono::duration_cast<std::chrono::seconds>(*due - now_).count());
    now_ = *due;
    const auto actions = plan_.next(now_);
    ASSERT_THAT(ids(actions, Kind::survey), ElementsAre("hung"));
    EXPECT_EQ(state("hung"), ItemState::failed) << "while it is surveyed again, too";
    plan_.surveyed({"hung", 0}, surveys_[{"hung", 0}], now_);
  }
  EXPECT_THAT(pauses, ElementsAre(5, 10, 20, 40, 80, 160, 320, 600, 600, 600));
  // It ends after all.
  plan_.surveyed({"hung", 0}, {}, now_);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("hung"));
  EXPECT_EQ(state("hung"), ItemState::generating);
  EXPECT_EQ(plan_.status({"hung", 0}).reason, "");
}

TEST_F(Plan, ASurveyThatHangsSaysNothingOfAClipThatHasFailed) {
  PlannedWish one = wish("a"), two = wish("b");
  two.source = two.request = one.request;
  plan_.want({one});
  next();
  plan_.want({one, two});
  plan_.next(now_);
  plan_.generated({"a", 0}, ended(Outcome::failed), now_);
  Survey hung;
  hung.hangs = true;
  plan_.surveyed({"b", 0}, hung, now_);
  for (int times = 0; times < 5; ++times, now_ += std::chrono::minutes(10)) {
    EXPECT_THAT(ids(next(), Kind::generate), IsEmpty());
    plan_.surveyed({"b", 0}, {}, now_);
    EXPECT_EQ(state("b"), ItemState::failed);
  }
}

TEST_F(Plan, AsksForNoTaskWithAKeyThatIsRefused) {
  surveys_[{"b", 0}].has_task = true;
  plan_.want({wish("a")});
  next();
  plan_.generated({"a", 0}, halted(true), now_);
  plan_.want({wish("a"), wish("b")});
  EXPECT_THAT(next(), IsEmpty());
  EXPECT_EQ(state("b"), ItemState::budget);
}

TEST_F(Plan, FetchesATaskWhileTheBudgetIsSpent) {
  surveys_[{"b", 0}].has_task = true;
  plan_.want({wish("a")});
  next();
  plan_.generated({"a", 0}, halted(false), now_);
  plan_.want({wish("a"), wish("b")});
  const auto actions = next();
  ASSERT_THAT(ids(actions, Kind::generate), ElementsAre("b"));
  EXPECT_EQ(actions[0].may_submit, MaySubmit::never);
}

TEST_F(Plan, VetsAFallbackFirstUntilThereIsOne) {
  surveys_[{"a", 0}].is_stored = true;
  PlannedWish ident = wish("fallback:1"), other = wish("fallback:2");
  ident.is_generated = other.is_generated = false;
  ident.is_fallback = other.is_fallback = true;
  PlannedWish file = wish("f");
  file.is_generated = false;
  plan_.want({file, ident, other});
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("fallback:1"));
  plan_.vetted({"fallback:1", 0}, "");
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("f"));
  plan_.vetted({"f", 0}, "");
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("fallback:2"));
}

TEST_F(Plan, GeneratesASourceOfTwoItemsOnceAtATime) {
  PlannedWish other = wish("b");
  other.request = wish("a").request;
  plan_.want({wish("a"), other});
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
  plan_.generated({"a", 0}, ended(Outcome::failed), now_);
  EXPECT_THAT(next(), IsEmpty());
  EXPECT_EQ(state("b"), ItemState::failed);
}

TEST_F(Plan, AsksNotAgainAtOnceWhenAQueryFindsNoCredits) {
  surveys_[{"a", 0}].has_task = true;
  plan_.want({wish("a")});
  next();
  GenerationEnd end = halted(true);
  end.outcome = Outcome::running;
  end.halt->bars_queries = false;
  plan_.generated({"a", 0}, end, now_);
  EXPECT_THAT(next(), IsEmpty());
  now_ += std::chrono::seconds(5);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
}

TEST_F(Plan, TriesAgainLaterWhenAHostIsNotFound) {
  plan_.want({wish("a")});
  next();
  GenerationEnd end = ended(Outcome::not_submitted);
  end.is_nowhere = true;
  plan_.generated({"a", 0}, end, now_);
  EXPECT_THAT(next(), IsEmpty()) << "not at once";
  EXPECT_EQ(state("a"), ItemState::planned);
  now_ += std::chrono::seconds(5);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
}

TEST_F(Plan, KeepsOrderWhileAnEarlierItemIsStillSurveyed) {
  plan_.want({wish("b")});
  EXPECT_THAT(ids(plan_.next(now_), Kind::survey), ElementsAre("b"));
  plan_.surveyed({"b", 0}, {}, now_);
  plan_.want({wish("a"), wish("b")});
  const auto actions = plan_.next(now_);
  EXPECT_THAT(ids(actions, Kind::survey), ElementsAre("a"));
  EXPECT_THAT(ids(actions, Kind::generate), IsEmpty());
}

TEST_F(Plan, AStandInThatIsBrokenIsNotReady) {
  surveys_[{"a", 1}].last_take = 0;
  for (const bool is_fit : {true, false}) {
    plan_.want({wish("b")});
    next();
    plan_.generated({"b", 0}, halted(false), now_);
    plan_.want({wish("a", 1, true)});
    const auto actions = next();
    ASSERT_THAT(ids(actions, Kind::generate), ElementsAre("a"));
    EXPECT_EQ(actions[0].take, 0u);
    EXPECT_EQ(actions[0].may_submit, MaySubmit::never);
    plan_.generated({"a", 1}, ended(Outcome::stored), now_);
    ASSERT_THAT(ids(next(), Kind::vet), ElementsAre("a"));
    plan_.vetted({"a", 1}, is_fit ? "" : "It is broken.");
    EXPECT_THAT(ids(next(), Kind::generate), IsEmpty()) << "the store has no other one";
    EXPECT_EQ(plan_.status({"a", 1}).state, is_fit ? ItemState::ready : ItemState::budget);
  }
}

TEST_F(Plan, VetsAgainAtGrowingIntervalsWhatMayBeFitLater) {
  PlannedWish file = wish("f");
  file.is_generated = false;
  plan_.want({wish("a"), file});
  next();
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  plan_.vetted({"f", 0}, "");
  for (const char *id : {"a", "f"}) {
    if (*id == 'f') plan_.changed({"f", 0});
    ASSERT_THAT(ids(next(), Kind::vet), ElementsAre(id));
    plan_.vetted({id, 0}, "It could not be decoded within 20 s.", true, now_);
    std::vector<int64_t> pauses;
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(state(id), ItemState::failed);
      EXPECT_THAT(next(), IsEmpty());
      const auto due = plan_.due(now_);
      ASSERT_TRUE(due);
      pauses.push_back(std::chrono::duration_cast<std::chrono::minutes>(*due - now_).count());
      now_ = *due;
      const auto actions = next();
      ASSERT_EQ(actions.size(), 1u);
      EXPECT_EQ(actions[0].kind, Kind::vet) << "its clip is there";
      EXPECT_EQ(state(id), ItemState::failed) << "its place is not kept for that";
      plan_.vetted({id, 0}, "It could not be decoded within 20 s.", true, now_);
    }
    EXPECT_THAT(pauses, ElementsAre(1, 2, 4, 8, 10, 10));
    now_ += std::chrono::minutes(10);
    EXPECT_THAT(ids(next(), Kind::vet), ElementsAre(id));
    plan_.vetted({id, 0}, "");
    EXPECT_EQ(state(id), ItemState::ready);
    EXPECT_EQ(plan_.status({id, 0}).reason, "");
  }
}

PlannedWish foreign(const std::string &id, const std::string &source) {
  PlannedWish foreign = wish(id);
  foreign.is_generated = false;
  foreign.source = source;
  return foreign;
}

TEST_F(Plan, VetsNoFileBehindAServerAndOneAtATimeOfEachServer) {
  plan_.want({foreign("a1", "http://a.example/1.mp4"), foreign("a2", "HTTP://key@A.example/2.mp4"),
              foreign("b", "http://b.example/1.mp4"), foreign("c", "https://b.example/1.mp4"),
              foreign("f", "file:///f.mp4"), foreign("g", "file:///g.mp4")});
  const auto actions = next();
  EXPECT_THAT(ids(actions, Kind::vet), testing::UnorderedElementsAre("f", "a1", "b"));
  std::set<unsigned> lanes;
  for (const PlanAction &action : actions) lanes.insert(action.lane);
  EXPECT_THAT(lanes, ElementsAre(0, 1, 2));
  plan_.vetted({"f", 0}, "");
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("g"));
  plan_.vetted({"b", 0}, "");
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("c")) << "another port is another server";
  plan_.vetted({"a1", 0}, "");
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a2"));
}

TEST_F(Plan, PutsOffWhatASilentServerHasAndAsksItAgain) {
  const auto silent = [&](const char *id) { plan_.vetted({id, 0}, "It sent nothing.", true, now_, true); };
  plan_.want({foreign("a1", "http://a.example/1.mp4"), foreign("a2", "http://a.example/2.mp4"),
              foreign("b", "http://b.example/1.mp4")});
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a1", "b"));
  silent("a1");
  plan_.vetted({"b", 0}, "");
  EXPECT_THAT(next(), IsEmpty());
  EXPECT_EQ(state("a2"), ItemState::failed) << "its place is not kept";
  EXPECT_THAT(plan_.status({"a2", 0}).reason, HasSubstr("server"));
  std::vector<std::string> all_asked;
  for (const int minutes : {1, 2, 4, 8, 10, 10}) {
    EXPECT_EQ(plan_.due(now_), now_ + std::chrono::minutes(minutes));
    now_ += std::chrono::minutes(minutes);
    const auto asked = ids(next(), Kind::vet);
    ASSERT_THAT(asked, testing::SizeIs(1)) << "one of them";
    all_asked.push_back(asked[0]);
    silent(asked[0].c_str());
    EXPECT_THAT(next(), IsEmpty());
  }
  EXPECT_THAT(all_asked, ElementsAre("a2", "a1", "a2", "a1", "a2", "a1")) << "in turn";
  now_ += std::chrono::minutes(10);
  ASSERT_THAT(ids(next(), Kind::vet), ElementsAre("a2"));
  plan_.vetted({"a2", 0}, "It is damaged.", true, now_);
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a1")) << "it has sent something";
  silent("a1");
  plan_.reload(now_);
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a1"));
}

// Their server sends all but that one.
TEST_F(Plan, VetsWhatComesBesideAMediumThatNeverComes) {
  plan_.want({foreign("a1", "http://a.example/1.mp4"), foreign("a2", "http://a.example/2.mp4"),
              foreign("a3", "http://a.example/3.mp4"), foreign("a4", "http://a.example/4.mp4")});
  const auto silent = [&](const char *id) { plan_.vetted({id, 0}, "It sent nothing.", true, now_, true); };
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a1"));
  silent("a1");
  EXPECT_THAT(next(), IsEmpty());
  now_ += std::chrono::minutes(1);
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a2"));
  EXPECT_EQ(state("a3"), ItemState::failed) << "its place is not kept";
  silent("a2");
  EXPECT_THAT(next(), IsEmpty());
  now_ += std::chrono::minutes(2);
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a3"));
  plan_.vetted({"a3", 0}, "", false, now_);
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a4"));
  EXPECT_THAT(plan_.status({"a3", 0}).reason, IsEmpty());
}

// Whatever the order in which its items come into the window.
TEST_F(Plan, SubmitsASourceOnceMoreForAnItemWithARetryThoughAnotherOneHasFailed) {
  for (const bool is_fresh : {false, true}) {
    plan_ = PreparationPlan(3, OnUnknown::skip);
    const PlannedWish once = wish("a", 0, is_fresh);
    PlannedWish again = once;
    again.key.id = "b";
    again.may_retry = true;
    plan_.want({once});
    EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
    plan_.generated({"a", 0}, ended(Outcome::failed), now_);
    now_ += std::chrono::hours(1);
    EXPECT_THAT(next(), IsEmpty());
    plan_.want({once, again});
    EXPECT_THAT(next(), IsEmpty()) << "there is a pause before";
    now_ += std::chrono::seconds(5);
    const auto second = ids(next(), Kind::generate);
    ASSERT_THAT(second, testing::SizeIs(1));
    plan_.generated({second[0], 0}, ended(Outcome::failed), now_);
    now_ += std::chrono::hours(1);
    EXPECT_THAT(next(), IsEmpty()) << "twice is enough";
    EXPECT_EQ(state("a"), ItemState::failed);
    EXPECT_EQ(state("b"), ItemState::failed);
    plan_.reload(now_);
    EXPECT_THAT(next(), IsEmpty());
  }
}

TEST_F(Plan, LooksForAClipToBeVettedAgainAndNeverPaysForItAgain) {
  plan_.want({wish("a")});
  next();
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  next();
  plan_.vetted({"a", 0}, "It could not be decoded within 20 s.", true, now_);
  plan_.want({});
  plan_.want({wish("a")});
  EXPECT_THAT(next(), IsEmpty()) << "its time has not come";
  now_ += std::chrono::minutes(1);
  const auto actions = next();
  ASSERT_THAT(ids(actions, Kind::generate), ElementsAre("a"));
  EXPECT_EQ(actions[0].may_submit, MaySubmit::never);
}

TEST_F(Plan, VetsAClipThatIsBrokenOnce) {
  plan_.want({wish("a")});
  next();
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  next();
  plan_.vetted({"a", 0}, "It is broken.");
  EXPECT_FALSE(plan_.due(now_));
  now_ += std::chrono::hours(24);
  EXPECT_THAT(next(), IsEmpty());
  EXPECT_EQ(state("a"), ItemState::failed);
}

// Its generation ends when nobody listens any more.
TEST_F(Plan, WhatFailedAfterItWasLetGoIsNotSubmittedAgain) {
  for (const bool is_seen_late : {false, true}) {
    const std::string id = is_seen_late ? "late" : "early";
    surveys_[{id, 0}] = {};
    plan_.want({wish(id)});
    ASSERT_EQ(next()[0].may_submit, MaySubmit::unless_in_doubt);
    plan_.want({});  // Its request is sent at this moment.
    surveys_[{id, 0}].has_task = is_seen_late;
    surveys_[{id, 0}].has_failed = !is_seen_late;
    plan_.want({wish(id)});
    const auto actions = next();
    if (is_seen_late) {
      ASSERT_THAT(ids(actions, Kind::generate), ElementsAre(id));
      EXPECT_EQ(actions[0].may_submit, MaySubmit::never);
      surveys_[{id, 0}] = {};
      surveys_[{id, 0}].has_failed = true;
      GenerationEnd nowhere = ended(Outcome::not_submitted);
      nowhere.is_nowhere = true;
      plan_.generated({id, 0}, nowhere, now_);
      EXPECT_THAT(ids(next(), Kind::generate), IsEmpty());
    } else {
      EXPECT_THAT(ids(actions, Kind::generate), IsEmpty());
    }
    EXPECT_EQ(state(id), ItemState::failed);
  }
}

TEST_F(Plan, AClipThatTheStoreHasLostIsNotPaidAgain) {
  for (const bool was_found : {false, true}) {
    const std::string id = was_found ? "found" : "made";
    surveys_[{id, 0}].is_stored = was_found;
    plan_.want({wish(id)});
    EXPECT_THAT(ids(next(), Kind::generate), ElementsAre(id));
    plan_.generated({id, 0}, ended(Outcome::stored), now_);
    next();
    plan_.vetted({id, 0}, "");
    surveys_[{id, 0}] = {};
    for (int turn = 0; turn < 3; ++turn) {
      plan_.want({});
      plan_.want({wish(id)});
      for (const PlanAction &action : next()) {
        EXPECT_EQ(action.may_submit, MaySubmit::never) << "its task may bring it, but no other one";
        GenerationEnd nowhere = ended(Outcome::not_submitted);
        nowhere.is_nowhere = true;
        plan_.generated(action.key, nowhere, now_);
      }
      EXPECT_EQ(state(id), ItemState::failed);
      if (turn == 1) plan_.reload(now_);
    }
  }
}

TEST_F(Plan, OfThoseThatWaitForAnotherClipTheFirstOneIsSubmittedFirst) {
  plan_.want({wish("a"), wish("b"), wish("c"), wish("d")});
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a", "b", "c"));
  plan_.waits({"c", 0}, true);
  plan_.waits({"a", 0}, true);
  const auto actions = next();
  EXPECT_THAT(ids(actions, Kind::abandon), ElementsAre("c"));
  EXPECT_THAT(ids(actions, Kind::generate), ElementsAre("d")) << "it may be of another price";
  EXPECT_EQ(state("a"), ItemState::planned);
  plan_.waits({"d", 0}, true);
  EXPECT_THAT(ids(next(), Kind::abandon), ElementsAre("d"));
  EXPECT_THAT(next(), IsEmpty());
  plan_.generated({"b", 0}, ended(Outcome::stored), now_);
  EXPECT_THAT(ids(next(), Kind::generate), IsEmpty()) << "a is next";
  plan_.waits({"a", 0}, false);
  EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("c", "d"));
}

class Fresh : public Plan {
 protected:
  static std::vector<PlannedWish> turns(uint64_t first, uint64_t count, bool may_retry = false) {
    std::vector<PlannedWish> wishes;
    for (uint64_t turn = first; turn < first + count; ++turn) {
      wishes.push_back(wish("a", turn, true));
      wishes.back().may_retry = may_retry;
    }
    return wishes;
  }
  static std::vector<uint64_t> takes(const std::vector<PlanAction> &actions, Kind kind = Kind::generate) {
    std::vector<uint64_t> takes;
    for (const PlanAction &action : actions)
      if (action.kind == kind) takes.push_back(action.take);
    return takes;
  }
  ItemState state_in(uint64_t turn) { return plan_.status({"a", turn}).state; }
  void store(uint64_t turn) {
    plan_.generated({"a", turn}, ended(Outcome::stored), now_);
    ASSERT_THAT(takes(next(), Kind::vet), ElementsAre(turn));
  }
};

TEST_F(Fresh, ASourceThatOnlyFailsIsSubmittedOnceAndOnceMoreWithRetry) {
  for (const bool may_retry : {false, true}) {
    plan_ = PreparationPlan(3, OnUnknown::skip);
    unsigned submits = 0;
    for (uint64_t turn = 0; turn < 200; ++turn) {
      plan_.want(turns(turn, 5, may_retry));
      now_ += std::chrono::minutes(1);
      for (const PlanAction &action : next()) {
        submits += action.may_submit != MaySubmit::never;
        plan_.generated(action.key, ended(Outcome::failed), now_);
      }
    }
    EXPECT_EQ(submits, may_retry ? 2u : 1u);
    for (uint64_t turn = 199; turn < 204; ++turn) {
      EXPECT_EQ(state_in(turn), ItemState::failed);
      EXPECT_THAT(plan_.status({"a", turn}).reason, HasSubstr("It ended."));
    }
    plan_.reload(now_);
    EXPECT_THAT(takes(next()), IsEmpty()) << "not in this run";
    PlannedWish other = turns(204, 1)[0];
    other.source = other.request = "genclip://dance-2.5?prompt=other";
    plan_.want({other});
    EXPECT_THAT(takes(next()), ElementsAre(204)) << "it is another source";
  }
}

TEST_F(Fresh, AfterOneThatWasFitTakesAreGeneratedSideBySide) {
  plan_.want(turns(0, 5));
  EXPECT_THAT(takes(next()), ElementsAre(0));
  store(0);
  EXPECT_THAT(takes(next()), IsEmpty()) << "it is not known to be fit";
  plan_.vetted({"a", 0}, "");
  EXPECT_THAT(takes(next()), ElementsAre(1, 2, 3));
  surveys_[{"a", 4}].last_take = 0;
  plan_.generated({"a", 2}, ended(Outcome::failed), now_);
  EXPECT_EQ(state_in(2), ItemState::failed);
  EXPECT_THAT(takes(next()), ElementsAre(0)) << "the last one that is stored stands in for the fifth";
  plan_.generated({"a", 4}, ended(Outcome::stored), now_);
  next();
  plan_.vetted({"a", 4}, "");
  EXPECT_EQ(state_in(4), ItemState::ready);
  EXPECT_EQ(state_in(1), ItemState::generating);
}

// These were submitted beside each other.
TEST_F(Fresh, TwoTakesThatFailLeaveNoTryForAnItemWithARetry) {
  for (const Outcome second : {Outcome::failed, Outcome::unknown}) {
    plan_ = PreparationPlan(3, OnUnknown::skip);
    plan_.want(turns(0, 3));
    EXPECT_THAT(takes(next()), ElementsAre(0));
    store(0);
    plan_.vetted({"a", 0}, "");
    EXPECT_THAT(takes(next()), ElementsAre(1, 2));
    plan_.generated({"a", 1}, ended(Outcome::failed), now_);
    plan_.generated({"a", 2}, ended(second), now_);
    plan_.want(turns(1, 4, true));
    now_ += std::chrono::hours(1);
    EXPECT_THAT(takes(next()), IsEmpty());
    plan_.reload(now_);
    EXPECT_THAT(takes(next()), IsEmpty());
  }
}

TEST_F(Fresh, WhatIsUnknownOrUnfitEndsTheTakesUntilAReload) {
  for (const bool is_unknown : {true, false}) {
    plan_ = PreparationPlan(3, OnUnknown::skip);
    plan_.want(turns(0, 2));
    EXPECT_THAT(takes(next()), ElementsAre(0));
    if (is_unknown) {
      plan_.generated({"a", 0}, ended(Outcome::unknown), now_);
    } else {
      store(0);
      plan_.vetted({"a", 0}, "It is broken.");
    }
    EXPECT_THAT(takes(next()), IsEmpty());
    const ItemState state = is_unknown ? ItemState::unknown : ItemState::failed;
    EXPECT_EQ(state_in(0), state);
    EXPECT_EQ(state_in(1), state);
    surveys_[{"a", 0}].is_stored = !is_unknown;
    plan_.reload(now_);
    EXPECT_THAT(takes(next()), testing::Contains(is_unknown ? 1u : 0u));
    surveys_.clear();
  }
}

TEST_F(Fresh, ATakeThatComesTooLateIsFetchedBeforeAnotherOneIsSubmitted) {
  plan_.want(turns(0, 3));
  EXPECT_THAT(takes(next()), ElementsAre(0));
  plan_.accepted({"a", 0}, true);
  plan_.want(turns(1, 3));
  EXPECT_NE(plan_.version({"a", 0}), 0u);
  EXPECT_FALSE(plan_.wants({"a", 0}));
  EXPECT_THAT(takes(next()), IsEmpty());
  plan_.generated({"a", 0}, ended(Outcome::paid_unfetched, true), now_);
  EXPECT_THAT(takes(next()), IsEmpty());
  now_ = *plan_.due(now_);
  const auto actions = next();
  ASSERT_THAT(takes(actions), ElementsAre(0)) << "it is paid";
  EXPECT_EQ(actions[0].may_submit, MaySubmit::never);
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  EXPECT_THAT(takes(next()), ElementsAre(1)) << "nobody has seen whether they are fit";
  EXPECT_EQ(plan_.version({"a", 0}), 0u);
}

TEST_F(Fresh, WhatIsLetGoBeforeItIsPaidIsNotPaid) {
  for (const bool is_chain : {false, true}) {
    const std::string id = is_chain ? "chain" : "clip";
    plan_.want({wish(id)});
    ASSERT_THAT(ids(next(), Kind::generate), ElementsAre(id));
    plan_.submits({id, 0}, true);
    plan_.want({});
    EXPECT_THAT(next(), IsEmpty()) << "the answer may be a task";
    if (is_chain) plan_.accepted({id, 0}, false);
    plan_.submits({id, 0}, false);
    EXPECT_THAT(ids(next(), Kind::abandon), ElementsAre(id));
    EXPECT_EQ(plan_.version({id, 0}), 0u);
  }
}

TEST_F(Fresh, AStandInThatIsUnfitGivesWayToAnEarlierOne) {
  for (uint64_t turn = 5; turn < 8; ++turn) surveys_[{"a", turn}].last_take = 4;
  plan_.want(turns(5, 3));
  EXPECT_THAT(takes(next()), ElementsAre(5, 4, 4)) << "the last one stands in while the first one is made";
  plan_.generated({"a", 5}, ended(Outcome::failed), now_);
  plan_.generated({"a", 6}, ended(Outcome::stored), now_);
  next();
  plan_.vetted({"a", 6}, "It is broken.");
  EXPECT_THAT(plan_.unfit_takes({"a", 6}), ElementsAre(4u));
  for (uint64_t turn = 5; turn < 8; ++turn) surveys_[{"a", turn}].last_take = 3;
  EXPECT_THAT(takes(next()), testing::Contains(3u));
}

TEST_F(Fresh, KnowsWhichTakeIsTheLastStoredOneAlsoAfterItsItemHasLeft) {
  EXPECT_EQ(plan_.missing_takes({"a", 7}), MissingTakes());
  surveys_[{"a", 7}].last_take = 3;
  surveys_[{"a", 7}].missing = {4, 7};
  plan_.want(turns(7, 1));
  EXPECT_THAT(takes(next()), ElementsAre(7));
  EXPECT_EQ(plan_.missing_takes({"a", 7}), (MissingTakes{4, 7}));
  store(7);
  EXPECT_EQ(plan_.missing_takes({"a", 7}), (MissingTakes{8, 8}));
  plan_.want({});
  surveys_[{"a", 20}].missing = {8, 20};
  plan_.want(turns(20, 1));
  EXPECT_EQ(plan_.missing_takes({"a", 20}), (MissingTakes{8, 8}));
  next();
  EXPECT_EQ(plan_.missing_takes({"a", 20}), (MissingTakes{8, 20}));
}

TEST_F(Fresh, WhileAPaidTakeCannotBeFetchedNoOtherOneIsPaidForAnHour) {
  uint64_t turn = 0;
  const auto pass = [&](std::chrono::minutes time) {
    size_t submits = 0;
    for (const auto end = now_ + time; now_ < end; now_ += std::chrono::minutes(1)) {
      plan_.want(turns(++turn, 5));
      for (const PlanAction &action : next()) {
        if (action.kind != Kind::generate) continue;
        submits += action.may_submit != MaySubmit::never;
        if (action.may_submit != MaySubmit::never) plan_.accepted(action.key, true);
        plan_.generated(action.key, ended(Outcome::paid_unfetched, true), now_);
      }
    }
    return submits;
  };
  EXPECT_EQ(pass(std::chrono::minutes(50)), 1u);
  EXPECT_EQ(pass(std::chrono::hours(10)), 10u) << "one an hour";
}

TEST_F(Fresh, ACarriedTakeHasNoStandIn) {
  for (uint64_t turn = 0; turn < 3; ++turn) surveys_[{"a", turn}].last_take = 7;
  plan_.want(turns(0, 1));
  next();
  plan_.accepted({"a", 0}, true);
  plan_.want({wish("b")});
  next();
  plan_.generated({"b", 0}, halted(false), now_);
  plan_.generated({"a", 0}, ended(Outcome::paid_unfetched, true), now_);
  EXPECT_THAT(takes(next()), IsEmpty());
  now_ += std::chrono::seconds(5);
  const auto actions = next();
  ASSERT_THAT(takes(actions), ElementsAre(0)) << "its own clip";
  EXPECT_EQ(actions[0].may_submit, MaySubmit::never);
}

// As when somebody takes `retry` away while the clip is generated.
TEST_F(Fresh, WhatHasLostItsRetryIsNotSubmittedAgain) {
  PlannedWish once = wish("a");
  once.may_retry = true;
  plan_.want({once});
  ASSERT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
  plan_.accepted({"a", 0}, true);
  const uint64_t version = plan_.version({"a", 0});
  once.may_retry = false;
  plan_.want({once});
  const auto replaced = plan_.key_of_replaced({"a", 0}, version);
  ASSERT_TRUE(replaced);
  next();
  plan_.generated(*replaced, ended(Outcome::failed), now_);
  for (int times = 0; times < 3; ++times, now_ += std::chrono::minutes(10))
    for (const auto &action : next()) EXPECT_EQ(action.may_submit, MaySubmit::never) << times;
}

// As when somebody edits the prompt of an item while it is generated.
TEST_F(Fresh, APaidClipIsFetchedAlsoIfItsItemHasBecomeSomethingElse) {
  PlannedWish other = wish("a");
  other.source = other.request = "genclip://dance-2.5?prompt=other";
  for (const bool was_carried : {false, true}) {
    plan_ = PreparationPlan(3, OnUnknown::skip);
    plan_.want({wish("a")});
    ASSERT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
    plan_.accepted({"a", 0}, true);
    const uint64_t version = plan_.version({"a", 0});
    EXPECT_FALSE(plan_.key_of_replaced({"a", 0}, version));
    if (was_carried) plan_.want({});
    plan_.want({other});
    const auto replaced = plan_.key_of_replaced({"a", 0}, version);
    ASSERT_TRUE(replaced);
    EXPECT_FALSE(plan_.wants(*replaced));
    EXPECT_NE(plan_.version({"a", 0}), version);
    EXPECT_THAT(ids(next(), Kind::generate), ElementsAre("a")) << "what it is now is generated beside it";
    plan_.generated({"a", 0}, ended(Outcome::stored), now_);
    EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a"));
    plan_.generated(*replaced, ended(Outcome::paid_unfetched, true), now_);
    EXPECT_THAT(next(), IsEmpty());
    plan_.want({});
    now_ = *plan_.due(now_);
    const auto actions = next();
    ASSERT_EQ(actions.size(), 1u);
    EXPECT_EQ(actions[0].key, *replaced);
    EXPECT_EQ(actions[0].may_submit, MaySubmit::never) << "it is paid";
    plan_.generated(*replaced, ended(Outcome::stored), now_);
    EXPECT_THAT(next(), IsEmpty()) << "nobody wants to show it";
    EXPECT_EQ(plan_.version(*replaced), 0u);
    // As it was before, it is served from the store.
    surveys_[{"a", 0}].is_stored = true;
    plan_.want({wish("a")});
    ASSERT_THAT(ids(next(), Kind::generate), ElementsAre("a"));
    EXPECT_EQ(state("a"), ItemState::planned);
    surveys_.clear();
  }
}

TEST_F(Fresh, WhatComesBackIsTheOneThatIsUnderWay) {
  plan_.want({wish("a")});
  next();
  plan_.accepted({"a", 0}, true);
  const uint64_t version = plan_.version({"a", 0});
  plan_.want({});
  plan_.want({wish("a")});
  EXPECT_EQ(plan_.version({"a", 0}), version);
  EXPECT_THAT(next(), IsEmpty());
  plan_.generated({"a", 0}, ended(Outcome::stored), now_);
  EXPECT_THAT(ids(next(), Kind::vet), ElementsAre("a"));
}

// ---- Random lives.

// What the service and the store know of one source in one take.
struct Truth {
  unsigned submits = 0;
  bool has_task = false, is_stored = false, is_in_doubt = false, has_failed = false;
  bool told_unknown = false;  // The plan was told so, in this run.
  unsigned told_failed = 0;
};

class Life {
 public:
  explicit Life(unsigned seed) : random_(seed), workers_(1 + seed % 3), plan_(workers_, OnUnknown::skip) {}

  std::string run(int steps) {
    for (int i = 0; i < steps && wrong_.empty(); ++i) step();
    return wrong_;
  }
  // From now on all goes well. What can be ready is.
  std::string run_well() {
    is_well_ = true;
    set_bound(true);
    for (int i = 0; i < 3000 && wrong_.empty(); ++i) step();
    for (const WishKey &key : plan_.wanted()) {
      const PlannedStatus status = plan_.status(key);
      if (status.state != ItemState::ready && status.state != ItemState::failed &&
          status.state != ItemState::unknown)
        accuse(key.id + " ends as " + to_word(status.state));
    }
    return wrong_;
  }

 private:
  struct UnderWay {
    PlanAction action;
    uint64_t version;
    std::string name;      // Of its source.
    bool is_told = false;  // That it was accepted.
  };

  static bool is_fresh(const WishKey &key) { return key.id >= "i4"; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  void accuse(const std::string &what) {
    if (wrong_.empty()) wrong_ = what;
  }
  Truth &truth(const std::string &name, unsigned take) { return truths_[name + "#" + std::to_string(take)]; }
  Truth &truth(const UnderWay &one) { return truth(one.name, one.action.take); }

  void set_bound(bool is_bound) {
    is_bound_ = is_bound;
    plan_.set_bound(is_bound);
  }

  void step() {
    if (!is_well_ && chance(10)) want();
    if (!is_well_ && chance(3)) {
      plan_.reload(now_);
    }
    if (!is_well_ && chance(3)) set_bound(!is_bound_);
    if (is_looking_at_budget_ && chance(30)) {
      is_looking_at_budget_ = false;
      plan_.budget_looked(is_well_ || chance(20), now_);
    }
    if (chance(40)) now_ += std::chrono::seconds(random_() % 200);
    if (!is_well_ && !unheard_.empty() && chance(10)) fail_unheard();
    if (!hung_surveys_.empty() && chance(10)) end_hung_survey();
    if (!under_way_.empty() && chance(70)) finish(random_() % under_way_.size());
    for (int round = 0; round < 3; ++round)
      for (const PlanAction &action : plan_.next(now_)) begin(action);
    check();
  }

  void want() {
    std::vector<PlannedWish> wishes;
    turn_ += chance(20) ? 1 : 0;
    for (int i = 0; i < 6; ++i) {
      if (chance(40)) continue;
      const bool is_fresh = i >= 4;
      PlannedWish one = wish("i" + std::to_string(i), is_fresh ? turn_ : 0, is_fresh);
      one.may_retry = i == 1;
      // Somebody edits the rundown.
      if (chance(5)) edited_[i] = !edited_[i];
      if (edited_[i]) one.source = one.request += "-edited";
      wishes.push_back(one);
    }
    plan_.want(wishes);
    for (const PlannedWish &one : wishes)
      names_[plan_.version(one.key)] = one.source.substr(one.source.find('=') + 1);
    std::erase_if(under_way_, [this](UnderWay &one) {
      if (plan_.version(one.action.key) == one.version) return false;
      if (const auto replaced = plan_.key_of_replaced(one.action.key, one.version)) {
        one.action.key = *replaced;
        return false;
      }
      if (one.is_told && truth(one).has_task && !truth(one).is_stored)
        accuse("it lets go of a paid clip of " + one.name);
      leave(one);
      return true;
    });
  }

  // What it has begun continues, and nobody listens; the task may fail at any later time.
  void leave(const UnderWay &one) {
    if (one.action.kind != Kind::generate) return;
    Truth &known = truth(one);
    if (!known.has_task && !known.is_stored && !known.is_in_doubt &&
        one.action.may_submit != MaySubmit::never && chance(50)) {
      submit(known, one.action.key);
      (chance(20) ? known.is_in_doubt : known.has_task) = true;
    }
    if (known.has_task && !known.is_stored) unheard_.push_back(&known);
  }

  void submit(Truth &known, const WishKey &key) {
    const bool is_retry = key.id == "i1" && known.submits == 1 && known.has_failed;
    if (known.submits > 0 && !is_retry) accuse("a second submit of " + key.id);
    ++known.submits;
    known.has_failed = false;
  }

  void fail_unheard() {
    Truth *known = unheard_.front();
    unheard_.pop_front();
    if (!known->has_task || known->is_stored) return;
    known->has_task = false;
    known->has_failed = true;
  }

  void begin(const PlanAction &action) {
    // It ends later, perhaps after what it was about.
    if (action.kind == Kind::look_at_budget) {
      is_looking_at_budget_ = true;
      return;
    }
    const bool is_carried = plan_.version(action.key) != 0 && action.kind == Kind::generate &&
                            action.may_submit == MaySubmit::never;
    if (!plan_.wants(action.key) && !is_carried) accuse("it acts for what nobody wants");
    const auto same = std::find_if(under_way_.begin(), under_way_.end(),
                                   [&](const UnderWay &one) { return one.action.key == action.key; });
    if (action.kind == Kind::abandon) {
      if (same == under_way_.end() || same->is_told) return accuse("it abandons what is not to be abandoned");
      under_way_.erase(same);
      return;
    }
    if (same != under_way_.end()) return accuse("it works on one item twice at a time");
    const uint64_t version = plan_.version(action.key);
    const UnderWay one{action, version, names_.at(version)};
    if (action.kind == Kind::generate) judge(one);
    under_way_.push_back(one);
    if (action.may_submit != MaySubmit::never && chance(20)) plan_.waits(action.key, true);
  }

  void judge(const UnderWay &begun) {
    const PlanAction &action = begun.action;
    if (action.may_submit == MaySubmit::never) return;
    const Truth &known = truth(begun);
    if (action.may_submit == MaySubmit::even_in_doubt) accuse("it submits in doubt");
    if (plan_.halt()) accuse("it submits though submits are halted");
    if (!is_bound_ && is_fresh(action.key)) accuse("it submits fresh takes without a budget");
    if (known.told_unknown) accuse("it submits what is unknown");
    if (known.told_failed > (action.key.id == "i1" ? 1 : 0)) accuse("it submits what has failed");
    if (action.take > 0 && failed_series_.contains(begun.name)) accuse("it submits a further take");
    for (const UnderWay &one : under_way_)
      if (is_fresh(action.key) && one.name == begun.name && !plan_.wants(one.action.key))
        accuse("it submits a take though an earlier one is under way");
  }

  void finish(size_t index) {
    const UnderWay done = under_way_[index];
    const PlanAction &action = done.action;
    if (action.kind == Kind::generate && !done.is_told && chance(50)) {
      // First it is accepted, as far as the journal lets it.
      const Truth &known = truth(done);
      if (known.has_task || known.is_stored) {
        under_way_[index].is_told = true;
        plan_.accepted(action.key, true);
        return;
      }
    }
    if (action.kind == Kind::generate) plan_.waits(action.key, false);
    under_way_.erase(under_way_.begin() + static_cast<long>(index));
    if (action.kind == Kind::vet) {
      const bool is_unfit = !is_well_ && chance(5);
      return plan_.vetted(action.key, is_unfit ? "unfit" : "", is_unfit && chance(50), now_);
    }
    if (action.kind == Kind::survey) return end_survey(done);
    generate(done);
  }

  // One that hangs may end after all, or after another one of its item.
  void end_survey(const UnderWay &done) {
    if (!is_well_ && chance(10)) {
      Survey hung;
      hung.hangs = true;
      plan_.surveyed(done.action.key, hung, now_);
      hung_surveys_.push_back(done);
      return;
    }
    plan_.surveyed(done.action.key, survey(done), now_);
  }

  void end_hung_survey() {
    const UnderWay done = hung_surveys_.front();
    hung_surveys_.pop_front();
    const bool is_begun_again = std::any_of(under_way_.begin(), under_way_.end(), [&](const UnderWay &one) {
      return one.action.key == done.action.key;
    });
    if (plan_.version(done.action.key) == done.version && !is_begun_again)
      plan_.surveyed(done.action.key, survey(done), now_);
  }

  Survey survey(const UnderWay &looks) {
    const Truth &known = truth(looks);
    Survey survey;
    survey.is_stored = known.is_stored;
    survey.has_task = known.has_task && !known.is_stored;
    survey.has_failed = known.has_failed;
    for (unsigned take = 0; take < looks.action.take; ++take)
      if (truth(looks.name, take).is_stored) survey.last_take = take;
    return survey;
  }

  // As the journal and the service do it.
  void generate(const UnderWay &done) {
    const WishKey &key = done.action.key;
    Truth &known = truth(done);
    const auto end = [&](const GenerationEnd &how) {
      if (how.outcome == Outcome::unknown) known.told_unknown = true;
      if (how.outcome == Outcome::failed) ++known.told_failed;
      if (how.outcome == Outcome::failed && is_fresh(key)) failed_series_.insert(done.name);
      plan_.generated(key, how, now_);
    };
    if (known.is_stored) return end(ended(Outcome::stored));
    if (!known.has_task) {
      if (known.is_in_doubt) return end(ended(Outcome::unknown));
      GenerationEnd nowhere = ended(Outcome::not_submitted);
      nowhere.is_nowhere = true;
      if (done.action.may_submit == MaySubmit::never) return end(nowhere);
      if (!is_well_) {
        if (chance(10)) return end(halted(chance(50)));
        if (chance(2)) return end(ended(Outcome::not_submitted));  // No limit allows it.
        if (chance(5)) return end(full(Outcome::not_submitted));
        if (chance(5)) return end(ended(Outcome::not_submitted, true));
      }
      submit(known, key);
      if (!is_well_ && chance(10)) {
        known.is_in_doubt = true;
        return end(ended(Outcome::unknown));
      }
      known.has_task = true;
    }
    if (!is_well_) {
      if (chance(10)) return end(ended(Outcome::running, true));
      if (chance(10)) return end(ended(Outcome::paid_unfetched, true));
      if (chance(5)) return end(full(Outcome::paid_unfetched));
      if (chance(10)) {
        known.has_task = false;
        known.has_failed = true;
        return end(ended(Outcome::failed));
      }
    }
    known.is_stored = true;
    end(ended(Outcome::stored));
  }

  void check() {
    size_t surveys = 0, vettings = 0, generations = 0;
    for (const UnderWay &one : under_way_) {
      surveys += one.action.kind == Kind::survey;
      vettings += one.action.kind == Kind::vet;
      generations += one.action.kind == Kind::generate && one.action.may_submit != MaySubmit::never &&
                     plan_.wants(one.action.key);
    }
    if (surveys > 1 || vettings > 1) accuse("more than one survey or vetting at a time");
    if (generations > workers_) accuse("more generations than workers");
  }

  std::mt19937 random_;
  const unsigned workers_;
  PreparationPlan plan_;
  std::map<std::string, Truth> truths_;
  std::map<int, bool> edited_;             // By item: whether its source is the other one.
  std::map<uint64_t, std::string> names_;  // Of sources, by version.
  std::set<std::string> failed_series_;    // Sources of which the plan was told that a take failed.
  std::vector<UnderWay> under_way_;
  std::deque<Truth *> unheard_;
  std::deque<UnderWay> hung_surveys_;
  Clock::Time now_ = kStart;
  uint64_t turn_ = 0;
  bool is_bound_ = true;
  bool is_looking_at_budget_ = false;
  bool is_well_ = false;
  std::string wrong_;
};

unsigned lives() {
  const char *set = std::getenv("GENCLIP_ROUNDS");
  return set ? static_cast<unsigned>(std::strtoul(set, nullptr, 10)) : kIsSanitized ? 60 : 300;
}

TEST(PlanLives, PayOnceStopWhenTheyMustAndEndWell) {
  for (unsigned seed = 0; seed < lives(); ++seed) {
    Life life(seed);
    ASSERT_EQ(life.run(200), "") << "seed " << seed;
    ASSERT_EQ(life.run_well(), "") << "seed " << seed << ", at the end";
  }
}

}  // namespace
}  // namespace genclip::test
