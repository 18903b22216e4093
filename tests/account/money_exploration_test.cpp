// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over the model of money_world.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <random>

#include "tests/account/money_world.h"
#include "tests/support/exploration.h"
#include "tests/support/sanitized.h"

namespace genclip::test {
namespace {

void explore(const MoneyRules &rules, size_t usual_length) {
  Exploration<MoneyWorld> exploration(money_world(rules));
  const size_t length = length_of_sequences(usual_length);
  exploration.go(length);
  std::cout << static_cast<uint64_t>(exploration.sequences()) << " sequences of up to " << length
            << " events, " << exploration.states() << " states\n";
  ASSERT_TRUE(exploration.violations().empty())
      << exploration.violations().size() << " violations; the first:\n"
      << exploration.violations().front();
  EXPECT_GT(exploration.states(), 1000u);
}

TEST(MoneyExploration, NoSequenceOfEventsPaysMoreThanADayOrTheTotalAllows) {
  MoneyRules rules;
  rules.budget.per_day = 4;
  rules.budget.total = 5;
  rules.is_priced = {true, true};
  explore(rules, 7);
}

TEST(MoneyExploration, ClipsOfUnknownPriceGoOneAtATimeAndNoDoubtBlocksThem) {
  MoneyRules rules;
  rules.budget.per_day = 4;
  rules.is_priced = {true, false, false};
  explore(rules, 6);
}

TEST(MoneyExploration, AnAssumedPriceHoldsTheBudgetWherePricesAreUnknown) {
  MoneyRules rules;
  rules.budget.per_month = 4;
  rules.budget.total = 6;
  rules.budget.assumed_price = 2;
  rules.is_priced = {false, false};
  explore(rules, 7);
}

TEST(MoneyExploration, ADayHasNoMoreTasksThanItsLimit) {
  MoneyRules rules;
  rules.budget.tasks_per_day = 2;
  rules.is_priced = {true, false, false};
  explore(rules, 6);
}

TEST(MoneyExploration, NoMoreTasksRunAtOnceThanMayAndNoDeathBlocksThemForLong) {
  MoneyRules rules;
  rules.max_tasks = 2;
  rules.is_priced = {true, true, true};
  explore(rules, 6);
}

MoneyRules caption_rules(double requests, double tokens, size_t runs, uint64_t most_tokens = 0) {
  MoneyRules rules;
  rules.budget.requests_per_day = requests;
  rules.budget.tokens_per_day = tokens;
  rules.caption_runs = runs;
  rules.most_tokens = most_tokens;
  return rules;
}

TEST(MoneyExploration, ADayHasNoMoreRequestsForCaptionsThanItsLimit) { explore(caption_rules(2, 0, 2), 7); }

// What is known of a request after a line has counted it, on the day after it too, takes longer ways.
TEST(MoneyExploration, NoRunSendsMoreRequestsThanItsLedgerKnows) { explore(caption_rules(2, 0, 1), 10); }

TEST(MoneyExploration, CaptionsTakeNoMoreTokensThanADayAllows) { explore(caption_rules(0, 5, 2), 7); }

TEST(MoneyExploration, NoRunTakesMoreThanMaxTokens) { explore(caption_rules(3, 0, 1, 3), 9); }

TEST(MoneyExploration, ClipsAndCaptionsOfOneStoreTakeNothingFromEachOther) {
  MoneyRules rules = caption_rules(2, 5, 1);
  rules.budget.per_day = 4;
  rules.budget.tasks_per_day = 2;
  rules.is_priced = {true};
  explore(rules, 7);
}

// Blocks of several requests need larger limits, and those need longer ways.
TEST(MoneyExploration, NoLongRandomSequenceOfCaptionsExceedsALargeLimit) {
  std::mt19937 random(20261122);
  bool is_reached = false;
  for (int walk = 0; walk < (kIsSanitized ? 10 : 100); ++walk) {
    MoneyWorld world = money_world(caption_rules(60, walk % 2 ? 90 : 0, 3, walk % 3 == 0 ? 30 : 0));
    std::vector<std::string> way;
    for (int length = 0; length < 400; ++length) {
      auto steps = steps_of(world);
      // A new day and deaths are rare, or nothing else would be reached.
      MoneyStep &step = steps[random() % steps.size()];
      const bool is_rare = step.event == "a day passes" || step.event.find(" dies") != std::string::npos;
      if (is_rare && random() % 20 != 0) continue;
      way.push_back(step.event);
      world = std::move(step.world);
      if (world.sent[0] >= 30) is_reached = true;
      const std::string broken = broken_promise(world);
      if (broken.empty()) continue;
      std::string all;
      for (const std::string &event : way) all += event + "\n";
      FAIL() << broken << "\n" << all;
    }
  }
  EXPECT_TRUE(is_reached);
}

}  // namespace
}  // namespace genclip::test
