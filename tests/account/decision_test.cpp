// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a budget allows, and the words with which it refuses.
#include "plugin/account/decision.h"

#include <gtest/gtest.h>

#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

constexpr char kNow[] = "2026-11-22T20:15:00.000Z";

Estimate estimate_of(double high) { return {high / 2, high / 2, high, 1, "same"}; }

Budget budget_of(double Budget::*limit, double value, double assumed_price = 0) {
  Budget budget;
  budget.*limit = value;
  budget.assumed_price = assumed_price;
  return budget;
}

Decision decide_now(const Account &account, const Budget &budget, std::optional<Estimate> estimate,
                    ClipLimit max_amount = {}) {
  return decide(account, budget, clip_spending(budget, max_amount, estimate), at(kNow));
}

// 5 credits are spent, 3 are reserved, by two tasks.
Account some_spent(const std::string &time = kNow) {
  return account_of({reserve_of("a", 4, time), entry_of(LedgerEvent::submitted, "a", "t"),
                     settle_of("a", "t", 5), reserve_of("b", 3, time)});
}

TEST(Decision, AllowsAnythingWithoutLimits) {
  EXPECT_EQ(decide_now(some_spent(), {}, estimate_of(1e6)).verdict, Verdict::allow);
  EXPECT_EQ(decide_now(account_of({reserve_of("a", {})}), {}, {}).verdict, Verdict::allow);
}

TEST(Decision, AllowsWhatJustFits) {
  for (double Budget::*limit : {&Budget::per_day, &Budget::per_month, &Budget::total}) {
    EXPECT_EQ(decide_now(some_spent(), budget_of(limit, 10), estimate_of(2)).verdict, Verdict::allow);
    EXPECT_EQ(decide_now(some_spent(), budget_of(limit, 10), estimate_of(2.01)).verdict, Verdict::refuse);
  }
  EXPECT_EQ(decide_now({}, budget_of(&Budget::per_clip, 2), estimate_of(2)).verdict, Verdict::allow);
  EXPECT_EQ(decide_now({}, budget_of(&Budget::per_clip, 2), estimate_of(2.01)).verdict, Verdict::refuse);
  EXPECT_EQ(decide_now(some_spent(), budget_of(&Budget::tasks_per_day, 3), {}).verdict, Verdict::allow);
  EXPECT_EQ(decide_now(some_spent(), budget_of(&Budget::tasks_per_day, 2), {}).verdict, Verdict::refuse);
}

TEST(BudgetLimits, AreWithinBounds) {
  for (const BudgetLimit &limit : budget_limits()) {
    // A price is of one task; a limit is of many.
    const double most = limit.value == &Budget::assumed_price ? 1e9 : 1e12;
    EXPECT_EQ(fault_of(limit, most), "") << limit.name;
    EXPECT_NE(fault_of(limit, most + 1).find("is not a number from 0 to 1000000000"), std::string::npos);
    EXPECT_NE(fault_of(limit, -1), "");
    EXPECT_EQ(fault_of(limit, 1.5).empty(), limit.of == &Amounts::credits) << limit.name;
  }
}

TEST(NearestLimit, IsTheOneOfWhichMostIsUsed) {
  Budget budget = budget_of(&Budget::total, 100);
  const auto nearest = [&] { return nearest_limit(some_spent(), budget, at(kNow)); };
  ASSERT_TRUE(nearest());
  EXPECT_EQ(nearest()->limit, 100);
  EXPECT_EQ(nearest()->spent, 5);
  EXPECT_EQ(nearest()->reserved, 3);
  EXPECT_EQ(nearest()->unit, "credits");
  EXPECT_FALSE(nearest()->resets);
  budget.per_day = 20;
  budget.per_month = 50;
  EXPECT_EQ(nearest()->limit, 20);
  EXPECT_EQ(nearest()->resets, at("2026-11-23T00:00:00.000Z"));
  budget.tasks_per_day = 3;
  EXPECT_EQ(nearest()->limit, 3);
  EXPECT_EQ(nearest()->spent, 2);
  EXPECT_EQ(nearest()->unit, "tasks");
}

TEST(NearestLimit, IsNoneOfOneClipAndNoneOfCaptions) {
  Budget budget = budget_of(&Budget::per_clip, 1, 2);
  budget.requests_per_day = 1;
  budget.tokens_per_day = 1;
  EXPECT_FALSE(nearest_limit(some_spent(), budget, at(kNow)));
}

TEST(Decision, AddsTenthsAsPeopleDo) {
  const Account account = account_of({reserve_of("a", 0.1, kNow), reserve_of("b", 0.1, kNow)});
  EXPECT_EQ(decide_now(account, budget_of(&Budget::total, 0.3), estimate_of(0.1)).verdict, Verdict::allow);
}

TEST(Decision, ForgetsWhatWasSpentOnAnotherDay) {
  const Budget per_day = budget_of(&Budget::per_day, 8), per_month = budget_of(&Budget::per_month, 8);
  for (const char *time : {"2026-11-21T23:59:59.999Z", "2026-11-23T00:00:00.000Z"}) {
    EXPECT_EQ(decide_now(some_spent(time), per_day, estimate_of(8)).verdict, Verdict::allow) << time;
    EXPECT_EQ(decide_now(some_spent(time), per_month, estimate_of(1)).verdict, Verdict::refuse) << time;
    EXPECT_EQ(decide_now(some_spent(time), budget_of(&Budget::tasks_per_day, 1), {}).verdict, Verdict::allow);
  }
  for (const char *time : {"2026-10-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z"}) {
    EXPECT_EQ(decide_now(some_spent(time), per_month, estimate_of(8)).verdict, Verdict::allow) << time;
    EXPECT_EQ(decide_now(some_spent(time), budget_of(&Budget::total, 8), estimate_of(1)).verdict,
              Verdict::refuse);
  }
}

TEST(Decision, RefusesADayInWordsAndDetails) {
  const Decision decision = decide_now(some_spent(), budget_of(&Budget::per_day, 9.5), estimate_of(2));
  EXPECT_EQ(
      decision.text,
      "Nothing was sent: the store's budget allows 9.5 credits a day; 5 credits are spent, 3 credits are "
      "reserved, and this clip may cost 2 credits. Run again after 2026-11-23 00:00 UTC, or raise the limit "
      "with: genclip budget set --per-day N.");
  EXPECT_EQ(decision.budget, "per-day");
  EXPECT_EQ(decision.limit, 9.5);
  EXPECT_EQ(decision.spent, 5);
  EXPECT_EQ(decision.reserved, 3);
  EXPECT_EQ(decision.estimate, 2);
  EXPECT_EQ(decision.resets, at("2026-11-23T00:00:00.000Z"));
  EXPECT_EQ(refusal_error(decision).details.back(),
            (ErrorDetail{"resets", std::string("2026-11-23T00:00:00.000Z")}));
}

TEST(Decision, RefusesAMonthAndATotalInWords) {
  const Decision month = decide_now(some_spent(), budget_of(&Budget::per_month, 9), estimate_of(2));
  EXPECT_NE(month.text.find("9 credits a month;"), std::string::npos) << month.text;
  EXPECT_NE(month.text.find("Run again after 2026-12-01 00:00 UTC"), std::string::npos) << month.text;
  const Decision total = decide_now(some_spent(), budget_of(&Budget::total, 9), estimate_of(2));
  EXPECT_NE(total.text.find("9 credits in total;"), std::string::npos) << total.text;
  EXPECT_NE(total.text.find("To go on, raise the limit with: genclip budget set --total N."),
            std::string::npos);
  EXPECT_FALSE(total.resets);
  EXPECT_NE(refusal_error(total).details.back().name, "resets");
}

TEST(Decision, RefusesOneClipInWords) {
  const Decision decision = decide_now({}, budget_of(&Budget::per_clip, 1), estimate_of(2));
  EXPECT_EQ(
      decision.text,
      "Nothing was sent: the store's budget allows 1 credit for one clip, and this clip may cost 2 credits. "
      "Change the request, or raise the limit with: genclip budget set --per-clip N.");
  EXPECT_EQ(decision.budget, "per-clip");
}

TEST(Decision, NamesTheSettingThatLimitsOneClipAndItsValue) {
  const Decision dear = decide_now({}, {}, estimate_of(2), {1.5, "GENCLIP_MAX_AMOUNT"});
  EXPECT_EQ(dear.text,
            "Nothing was sent: GENCLIP_MAX_AMOUNT allows this clip 1.5 credits, and this clip may cost 2 "
            "credits. Change the request, or raise GENCLIP_MAX_AMOUNT.");
  EXPECT_EQ(dear.budget, "max-amount");
  EXPECT_EQ(dear.limit, 1.5);
  const Decision unknown = decide_now({}, {}, {}, {1.5, "GENCLIP_MAX_AMOUNT"});
  EXPECT_NE(unknown.text.find("Unset GENCLIP_MAX_AMOUNT for the first clip"), std::string::npos);
}

TEST(Decision, NamesTheSmallestOfTheLimitsOfOneClip) {
  const Budget budget = budget_of(&Budget::per_clip, 2);
  EXPECT_EQ(decide_now({}, budget, estimate_of(5), 3).budget, "per-clip");
  EXPECT_EQ(decide_now({}, budget, estimate_of(5), 1).budget, "max-amount");
  EXPECT_EQ(decide_now({}, budget, {}, 3).budget, "per-clip") << "the price is unknown";
  EXPECT_EQ(decide_now({}, budget, {}, 1).budget, "max-amount") << "the price is unknown";
  EXPECT_EQ(decide_now({}, budget, estimate_of(2), 3).verdict, Verdict::allow);
}

TEST(Decision, RefusesATaskTooManyInWords) {
  const Decision decision = decide_now(some_spent(), budget_of(&Budget::tasks_per_day, 2), estimate_of(2));
  EXPECT_EQ(
      decision.text,
      "Nothing was sent: the store's budget allows 2 tasks a day, and there are 2 already. Run again after "
      "2026-11-23 00:00 UTC, or raise the limit with: genclip budget set --tasks-per-day N.");
  EXPECT_EQ(decision.spent, 2);
}

TEST(Decision, TellsOfTheLongestTimeFirst) {
  Budget budget;
  budget.per_day = budget.per_month = budget.total = 8;
  EXPECT_EQ(decide_now(some_spent(), budget, estimate_of(1)).budget, "total");
  budget.total = 0;
  EXPECT_EQ(decide_now(some_spent(), budget, estimate_of(1)).budget, "per-month");
}

TEST(Decision, LetsMaxAmountOnlyTighten) {
  const Budget budget = budget_of(&Budget::per_clip, 5);
  EXPECT_EQ(decide_now({}, budget, estimate_of(3), 2).budget, "max-amount");
  EXPECT_EQ(decide_now({}, budget, estimate_of(6), 10).budget, "per-clip");
  EXPECT_EQ(decide_now({}, budget, estimate_of(2), 2).verdict, Verdict::allow);
  EXPECT_EQ(decide_now({}, {}, estimate_of(3), 2).verdict, Verdict::refuse);
}

TEST(Decision, RefusesByBothLimitsOfOneClipWhereThePriceIsUnknownUnlessOneIsAssumed) {
  const Decision by_run = decide_now({}, {}, {}, 2);
  EXPECT_EQ(
      by_run.text,
      "Nothing was sent: max-amount allows this clip 2 credits, and what this clip will cost is not known "
      "yet. Unset max-amount for the first clip of its kind, or say what to assume with: genclip budget "
      "set --assumed-price N.");
  EXPECT_EQ(by_run.budget, "max-amount");
  EXPECT_EQ(by_run.estimate, -1);
  const Decision by_budget = decide_now({}, budget_of(&Budget::per_clip, 2), {});
  EXPECT_EQ(
      by_budget.text,
      "Nothing was sent: the store's budget allows 2 credits for one clip, and what this clip will cost is "
      "not known yet. Lift the limit (genclip budget set --per-clip 0) for the first clip of its kind, or "
      "say what to assume with: genclip budget set --assumed-price N.");
  EXPECT_EQ(by_budget.budget, "per-clip");
  EXPECT_EQ(by_budget.estimate, -1);
  Budget assumed;
  assumed.assumed_price = 2;
  EXPECT_EQ(decide_now({}, assumed, {}, 2).verdict, Verdict::allow);
  EXPECT_EQ(decide_now({}, assumed, {}, 1).verdict, Verdict::refuse);
  EXPECT_EQ(decide_now({}, budget_of(&Budget::per_clip, 2, 2), {}).verdict, Verdict::allow);
  EXPECT_EQ(decide_now({}, budget_of(&Budget::per_clip, 1, 2), {}).verdict, Verdict::refuse);
}

TEST(Decision, NeverLetsAClipOfUnknownPricePassALimitOfATimeWithoutAWord) {
  const Account busy = account_of({reserve_of("a", {}, kNow)});
  for (double Budget::*limit : {&Budget::per_day, &Budget::per_month, &Budget::total}) {
    const Decision first = decide_now({}, budget_of(limit, 10), {});
    EXPECT_EQ(first.verdict, Verdict::allow);
    EXPECT_NE(first.warning.find("the price of this clip is unknown. It is submitted nevertheless"),
              std::string::npos)
        << first.warning;
    EXPECT_NE(first.warning.find("genclip budget set --assumed-price N"), std::string::npos);
    const Decision next = decide_now(busy, budget_of(limit, 10), {});
    EXPECT_EQ(next.verdict, Verdict::wait);
    EXPECT_EQ(next.warning, first.warning) << "so that a run says it once";
    EXPECT_EQ(decide_now({}, budget_of(limit, 10, 3), {}).warning, "") << "a price is assumed";
    EXPECT_EQ(decide_now({}, budget_of(limit, 10), estimate_of(3)).warning, "");
  }
  EXPECT_EQ(decide_now({}, budget_of(&Budget::tasks_per_day, 10), {}).warning, "");
  EXPECT_EQ(decide_now({}, {}, {}).warning, "");
}

TEST(Decision, SpeaksOfOneClipAloneWhereSomethingElseWasSent) {
  EXPECT_EQ(without_nothing_sent("Nothing was sent: the store's budget is spent."),
            "The clip was not submitted: the store's budget is spent.");
  EXPECT_EQ(without_nothing_sent("Of the clip 1: Nothing was sent: it is dear."),
            "Of the clip 1: The clip was not submitted: it is dear.");
  EXPECT_EQ(without_nothing_sent("The service is silent."), "The service is silent.");
}

TEST(Decision, CountsTheAssumedPriceForAllWhosePriceIsUnknown) {
  const Account account = account_of({reserve_of("a", {}, kNow), entry_of(LedgerEvent::unknown, "a"),
                                      reserve_of("b", {}, kNow), entry_of(LedgerEvent::submitted, "b", "t"),
                                      settle_of("b", "t", {}), reserve_of("c", {}, kNow)});
  const Decision decision = decide_now(account, budget_of(&Budget::total, 7.9, 2), {});
  EXPECT_EQ(decision.verdict, Verdict::refuse);
  EXPECT_EQ(decision.reserved, 6);
  EXPECT_NE(decision.text.find("2 credits (the assumed price)"), std::string::npos) << decision.text;
  EXPECT_EQ(decide_now(account, budget_of(&Budget::total, 8, 2), {}).verdict, Verdict::allow);
}

TEST(Decision, LetsClipsOfUnknownPriceGoOneAtATime) {
  const Budget budget = budget_of(&Budget::per_day, 10);
  std::vector<LedgerEntry> entries;
  const auto verdict = [&] { return decide_now(account_of(entries), budget, {}).verdict; };
  EXPECT_EQ(verdict(), Verdict::allow);
  entries.push_back(reserve_of("a", {}, kNow));
  EXPECT_EQ(verdict(), Verdict::wait);
  EXPECT_EQ(decide_now(account_of(entries), budget, {}).waits_for, std::vector<std::string>{"a"});
  // One whose price is known need not wait.
  EXPECT_EQ(decide_now(account_of(entries), budget, estimate_of(1)).verdict, Verdict::allow);
  entries.push_back(entry_of(LedgerEvent::submitted, "a", "t"));
  EXPECT_EQ(verdict(), Verdict::wait);
  const auto with = [&](const LedgerEntry &end) {
    auto all = entries;
    all.push_back(end);
    return decide_now(account_of(all), budget, {}).verdict;
  };
  EXPECT_EQ(with(settle_of("a", "t", 3)), Verdict::allow);
  EXPECT_EQ(with(settle_of("a", "t", {})), Verdict::allow);
  EXPECT_EQ(with(settle_of("a", "t", {}, "failed")), Verdict::allow);
  EXPECT_EQ(with(entry_of(LedgerEvent::unknown, "a", "t")), Verdict::allow);
}

TEST(Decision, LetsNobodyWaitWhereNoLimitIsInCredits) {
  const Account account = account_of({reserve_of("a", {}, kNow)});
  EXPECT_EQ(decide_now(account, budget_of(&Budget::tasks_per_day, 10), {}).verdict, Verdict::allow);
  EXPECT_EQ(decide_now(account, budget_of(&Budget::per_day, 10), {}).verdict, Verdict::wait);
}

TEST(Decision, RefusesAClipOfUnknownPriceOnceAllIsSpent) {
  EXPECT_EQ(decide_now(some_spent(), budget_of(&Budget::per_day, 8), {}).verdict, Verdict::refuse);
  EXPECT_EQ(decide_now(some_spent(), budget_of(&Budget::per_day, 8.1), {}).verdict, Verdict::allow);
}

TEST(AmountText, IsShortAndWithoutAnExponent) {
  EXPECT_EQ(amount_text(7), "7");
  EXPECT_EQ(amount_text(7.5), "7.5");
  EXPECT_EQ(amount_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(amount_text(1.23456), "1.2346");
  EXPECT_EQ(amount_text(1e15), "1000000000000000");
}

// ---- budget.json

TEST(Budget, IsReadAsItWasWritten) {
  Budget budget;
  double value = 0.5;
  for (const BudgetLimit &limit : budget_limits()) budget.*limit.value = ++value;
  budget.tasks_per_day = budget.requests_per_day = budget.tokens_per_day = 3;
  const auto again = Budget::from_json(budget.to_json());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, budget);
  EXPECT_EQ(Budget().to_json().to_text(), "{}");
}

TEST(Budget, SaysWhatItDoesNotUnderstand) {
  for (const auto &[text, part] : {std::pair{"[]", "no JSON object"},
                                   {R"({"per_week":1})", "per_week"},
                                   {R"({"total":"1"})", "total is no number"},
                                   {R"({"total":-1})", "total is not"},
                                   {R"({"total":1e13})", "total is not"},
                                   {R"({"tasks_per_day":1.5})", "whole number of tasks"},
                                   {R"({"requests_per_day":1.5})", "whole number of requests"},
                                   {R"({"tokens_per_day":0.5})", "whole number of tokens"},
                                   {R"({"per_day":true})", "per_day"}}) {
    const auto budget = Budget::from_json(*Json::parse(text));
    ASSERT_FALSE(budget) << text;
    EXPECT_NE(budget.error().text.find(part), std::string::npos) << budget.error().text;
  }
  EXPECT_TRUE(Budget::from_json(*Json::parse(R"({"total":null,"per_day":0})")));
}

// ---- Slots.

Decision decide_with(const Account &account, unsigned max_tasks) {
  return decide(account, {}, clip_spending({}, 0, estimate_of(1), max_tasks), at(kNow));
}

TEST(Slots, AreTheChargesUnderWay) {
  const Account account = account_of({
      reserve_of("reserved", 1, kNow),
      reserve_of("submitted", 1, kNow),
      entry_of(LedgerEvent::submitted, "submitted", "t1", kNow),
      reserve_of("doubtful", 1, kNow),
      entry_of(LedgerEvent::unknown, "doubtful", "", kNow),
      reserve_of("released", 1, kNow),
      entry_of(LedgerEvent::release, "released", "", kNow),
      reserve_of("settled", 1, kNow),
      entry_of(LedgerEvent::submitted, "settled", "t2", kNow),
      settle_of("settled", "t2", 1, "completed", kNow),
  });
  EXPECT_EQ(decide_with(account, 0).verdict, Verdict::allow) << "no limit";
  EXPECT_EQ(decide_with(account, 3).verdict, Verdict::allow);
  const Decision waits = decide_with(account, 2);
  EXPECT_EQ(waits.verdict, Verdict::wait);
  EXPECT_TRUE(waits.is_for_slot);
  EXPECT_EQ(waits.waits_for, (std::vector<std::string>{"reserved", "submitted"}));
}

TEST(Slots, AWaitForAPriceIsNoneForASlot) {
  Budget budget;
  budget.total = 100;
  const Decision waits =
      decide(account_of({reserve_of("a", {}, kNow)}), budget, clip_spending(budget, 0, {}, 5), at(kNow));
  EXPECT_EQ(waits.verdict, Verdict::wait);
  EXPECT_FALSE(waits.is_for_slot);
}

// Its run was killed, and nobody has asked for its clip again.
TEST(Slots, ATaskOfWhichNothingIsHeardHoldsItsSlotForHalfAnHour) {
  const auto one_of = [](const char *time) {
    return account_of({reserve_of("a", 1, time), entry_of(LedgerEvent::submitted, "a", "t", time)});
  };
  EXPECT_EQ(decide_with(one_of("2026-11-22T19:45:01.000Z"), 1).verdict, Verdict::wait);
  EXPECT_EQ(decide_with(one_of("2026-11-22T19:45:00.000Z"), 1).verdict, Verdict::allow);
}

TEST(Slots, ATaskHoldsItsSlotForThreeTimesTheLongestOfItsKind) {
  const auto one_of = [](double waited, const char *time) {
    LedgerEntry settle = settle_of("before", "t0", 1);
    settle.waited = waited;
    return account_of({reserve_of("before", 1), entry_of(LedgerEvent::submitted, "before", "t0"), settle,
                       reserve_of("a", 1, time), entry_of(LedgerEvent::submitted, "a", "t", time)});
  };
  EXPECT_EQ(decide_with(one_of(100, "2026-11-22T20:10:01.000Z"), 1).verdict, Verdict::wait);
  EXPECT_EQ(decide_with(one_of(100, "2026-11-22T20:10:00.000Z"), 1).verdict, Verdict::allow);
  EXPECT_EQ(decide_with(one_of(1, "2026-11-22T20:13:01.000Z"), 1).verdict, Verdict::wait) << "two minutes";
  EXPECT_EQ(decide_with(one_of(1, "2026-11-22T20:13:00.000Z"), 1).verdict, Verdict::allow);
}

TEST(Decision, SpeaksOfOneCreditAsOne) {
  const Account account = account_of({reserve_of("a", 4), entry_of(LedgerEvent::submitted, "a", "t"),
                                      settle_of("a", "t", 1), reserve_of("b", 1)});
  EXPECT_NE(
      decide_now(account, budget_of(&Budget::total, 1), estimate_of(1))
          .text.find("allows 1 credit in total; 1 credit is spent, 1 credit is reserved, and this clip may "
                     "cost 1 credit."),
      std::string::npos)
      << decide_now(account, budget_of(&Budget::total, 1), estimate_of(1)).text;
}

}  // namespace
}  // namespace genclip::test
