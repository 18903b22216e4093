// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, and long random ones, over the model of caption_world.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "tests/account/caption_world.h"
#include "tests/support/exploration.h"

namespace genclip::test {
namespace {

Budget caption_budget(double requests, double tokens) {
  Budget budget;
  budget.requests_per_day = requests;
  budget.tokens_per_day = tokens;
  return budget;
}

void explore_captions(const CaptionWorld &start, size_t usual_length) {
  Exploration<CaptionWorld> exploration(start);
  exploration.go(length_of_sequences(usual_length));
  std::cout << static_cast<uint64_t>(exploration.sequences()) << " sequences, " << exploration.states()
            << " states\n";
  ASSERT_TRUE(exploration.violations().empty()) << exploration.violations().front();
  EXPECT_GT(exploration.states(), 1000u);
}

TEST(CaptionExploration, NoSequenceOfEventsSendsMoreRequestsThanADayAllows) {
  explore_captions(caption_world(caption_budget(2, 0), 2), 7);
}

// What is known of a request after a line has counted it, on the day after it too, takes longer ways.
TEST(CaptionExploration, NoSequenceOfEventsOfOneRunSendsMoreRequestsThanItsLedgerKnows) {
  explore_captions(caption_world(caption_budget(2, 0), 1), 10);
}

TEST(CaptionExploration, NoSequenceOfEventsTakesMoreTokensThanADayAllows) {
  explore_captions(caption_world(caption_budget(0, 5), 2), 7);
}

TEST(CaptionExploration, NoRunTakesMoreThanMaxTokens) {
  explore_captions(caption_world(caption_budget(3, 0), 1, 3), 9);
}

// Blocks of several requests need larger limits, and those need longer ways.
TEST(CaptionExploration, NoLongRandomSequenceExceedsALargeLimit) {
  std::mt19937 random(20261122);
  bool is_reached = false;
  for (int walk = 0; walk < 200; ++walk) {
    CaptionWorld world = caption_world(caption_budget(60, walk % 2 ? 90 : 0), 3, walk % 3 == 0 ? 30 : 0);
    std::vector<std::string> way;
    for (int length = 0; length < 400; ++length) {
      auto steps = steps_of(world);
      // A new day and deaths are rare, or nothing else would be reached.
      CaptionStep &step = steps[random() % steps.size()];
      const bool is_rare = step.event == "a new day" || step.event.find(" dies") != std::string::npos;
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
