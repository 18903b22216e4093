// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over the model of chain_money_world: a chain, each clip of it, the
// ledger and the budget at once.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "tests/generation/chain_money_world.h"
#include "tests/support/exploration.h"

namespace genclip::test {
namespace {

// Each clip goes on from the one before it; the last is the request.
ChainMoneyRules chain_of(size_t links) {
  ChainMoneyRules rules;
  rules.needs.resize(links + 1);
  for (size_t i = 1; i <= links; ++i) rules.needs[i].push_back(i - 1);
  return rules;
}

class ChainMoneyExploration : public testing::Test {
 protected:
  ~ChainMoneyExploration() override {
    std::cout << static_cast<uint64_t>(sequences_) << " sequences, " << states_ << " states\n";
  }

  void explore(const ChainMoneyRules &rules, size_t length) {
    Exploration<ChainMoneyWorld> exploration(chain_money_world(rules));
    exploration.go(length);
    sequences_ += exploration.sequences();
    states_ += exploration.states();
    ASSERT_TRUE(exploration.violations().empty())
        << exploration.violations().size() << " violations; the first:\n"
        << exploration.violations().front();
    EXPECT_GT(exploration.states(), 100u);
  }

  // To the end, whatever the length, with no more setbacks than that; one more where time is long.
  void explore_whole(ChainMoneyRules rules, unsigned most_setbacks) {
    rules.most_setbacks = most_setbacks + (std::getenv("GENCLIP_TEST_SEQUENCES") ? 1 : 0);
    explore(rules, 60);
  }

  double sequences_ = 0;
  size_t states_ = 0;
};

TEST_F(ChainMoneyExploration, SubmitsAreTheLedgersChargesAndWhatTheEndingsSay) {
  explore(chain_of(1), length_of_sequences(8));
}

TEST_F(ChainMoneyExploration, OfUpToFourLinksEachStepMayFail) {
  for (size_t links = 1; links <= 4; ++links)
    ASSERT_NO_FATAL_FAILURE(explore_whole(chain_of(links), links > 1 ? 1 : 2));
}

TEST_F(ChainMoneyExploration, OfLinksThatServeTwoEachStepMayFail) {
  ChainMoneyRules fan;
  fan.needs = {{}, {}, {0, 1}};
  ASSERT_NO_FATAL_FAILURE(explore_whole(fan, 1));
  ChainMoneyRules both;
  both.needs = {{}, {0}, {0, 1}};
  explore_whole(both, 1);
}

TEST_F(ChainMoneyExploration, NoBudgetIsExceededByMoreThanWhatIsDearerThanItsEstimate) {
  for (const double clips : {2, 3}) {
    ChainMoneyRules rules = chain_of(1);
    rules.budget.total = kPrice + clips * kPrice;
    rules.are_some_dear = true;
    ASSERT_NO_FATAL_FAILURE(explore_whole(rules, 2));
  }
}

TEST_F(ChainMoneyExploration, NoRunPaysMoreThanMaxAmount) {
  for (const double clips : {2, 3}) {
    ChainMoneyRules rules = chain_of(1);
    rules.max_amount = clips * kPrice;
    rules.are_some_dear = true;
    ASSERT_NO_FATAL_FAILURE(explore_whole(rules, 2));
  }
}

TEST_F(ChainMoneyExploration, UnknownPricesBlockNobodyAndAnAssumedOneHoldsTheBudget) {
  for (const double assumed_price : {0.0, kPrice}) {
    ChainMoneyRules rules = chain_of(1);
    rules.is_priced = false;
    rules.budget.total = 3 * kPrice;
    rules.budget.assumed_price = assumed_price;
    ASSERT_NO_FATAL_FAILURE(explore_whole(rules, 2));
  }
}

TEST_F(ChainMoneyExploration, NoRemovedFolderIsPaidAgainWithoutAWord) {
  ChainMoneyRules rules = chain_of(1);
  rules.can_vanish = true;
  explore_whole(rules, 2);
}

TEST_F(ChainMoneyExploration, ARunThatMustNotPaysNothingInDoubt) {
  ChainMoneyRules rules = chain_of(1);
  rules.may_submit = MaySubmit::unless_in_doubt;
  explore_whole(rules, 2);
}

}  // namespace
}  // namespace genclip::test
