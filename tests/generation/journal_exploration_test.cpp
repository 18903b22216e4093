// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over the model of journal_world.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "tests/generation/journal_world.h"
#include "tests/support/exploration.h"

namespace genclip::test {
namespace {

JournalWorld start() {
  JournalWorld world;
  ServiceTask foreign;
  foreign.id = "foreign";
  foreign.is_foreign = foreign.is_done = true;
  world.tasks.push_back(foreign);
  return world;
}

void explore(const JournalWorld &world, size_t usual) {
  Exploration<JournalWorld> exploration(world);
  const size_t length = length_of_sequences(usual);
  exploration.go(length);
  std::cout << static_cast<uint64_t>(exploration.sequences()) << " sequences of up to " << length
            << " events, " << exploration.states() << " states\n";
  ASSERT_TRUE(exploration.violations().empty())
      << exploration.violations().size() << " violations; the first:\n"
      << exploration.violations().front();
  EXPECT_GT(exploration.states(), 1000u);
}

TEST(JournalExploration, NoSequenceOfEventsPaysWithoutAWordForgetsATaskOrLosesAWholeClip) {
  explore(start(), 6);
}

// Of all amounts that the service tells at any moment, the ledger has each, once; and it names what was paid
// where a folder was removed.
TEST(JournalExploration, NoAmountIsForgottenAndNoRemovedFolderIsPaidAgainWithoutAWord) {
  JournalWorld world = start();
  world.has_prices = world.can_vanish = true;
  explore(world, 5);
}

// For a beginning that is too long for an exploration.
void go_on(JournalWorld &world, const std::vector<std::string> &events) {
  for (const std::string &event : events) {
    const std::vector<WorldStep> steps = steps_of(world);
    const auto step = std::ranges::find(steps, "0: " + event, &WorldStep::event);
    ASSERT_NE(step, steps.end()) << event;
    world = JournalWorld(step->world);
  }
}

TEST(JournalExploration, NoStoredClipWhoseFileIsGoneIsPaidAgainWithoutAWord) {
  JournalWorld world = start();
  world.can_vanish = true;
  ASSERT_NO_FATAL_FAILURE(go_on(
      world, {"run", "is accepted", "hears that T1 is completed", "has all", "the clip's file is removed"}));
  explore(world, 5);
}

// Its submit may be refused, and then the warning belongs to the next run.
TEST(JournalExploration, TheRunThatPaysAgainWarnsOfATaskThatFailedAtACost) {
  for (const char *first : {"hears that T1 failed, and costs 1", "hears that T1 is unknown"}) {
    JournalWorld world = start();
    world.has_prices = true;
    ASSERT_NO_FATAL_FAILURE(go_on(world, {"run", "is accepted", first}));
    explore(world, 4);
  }
}

// The service has said that T1 is completed, but the ledger's line of it is lost.
TEST(JournalExploration, NoRunSaysThatAClipWasStoredWhichWasNot) {
  JournalWorld world = start();
  world.has_prices = true;
  ASSERT_NO_FATAL_FAILURE(
      go_on(world, {"run", "is accepted", "hears that T1 is unknown", "run",
                    "hears that T1 is completed, and is killed before the ledger is told", "run",
                    "hears that T1 failed, and costs 1", "run", "hears that T1 is unknown"}));
  EXPECT_EQ(broken_promise(world), "");
  explore(world, 3);
}

}  // namespace
}  // namespace genclip::test
