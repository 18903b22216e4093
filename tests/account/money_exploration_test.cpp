// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over the model of money_world.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>

#include "tests/account/money_world.h"
#include "tests/support/exploration.h"

namespace genclip::test {
namespace {

void explore(const MoneyRules &rules, size_t usual_length) {
  MoneyWorld start;
  start.rules = rules;
  start.condensed = start.account.condensed();
  Exploration<MoneyWorld> exploration(start);
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

}  // namespace
}  // namespace genclip::test
