// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over the model of journal_world.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>

#include "tests/generation/journal_world.h"
#include "tests/support/exploration.h"

namespace genclip::test {
namespace {

TEST(JournalExploration, NoSequenceOfEventsPaysWithoutAWordForgetsATaskOrLosesAWholeClip) {
  JournalWorld start;
  ServiceTask foreign;
  foreign.id = "foreign";
  foreign.is_foreign = foreign.is_done = true;
  start.tasks.push_back(foreign);
  Exploration<JournalWorld> exploration(start);
  const size_t length = length_of_sequences(8);
  exploration.go(length);
  std::cout << static_cast<uint64_t>(exploration.sequences()) << " sequences of up to " << length
            << " events, " << exploration.states() << " states\n";
  ASSERT_TRUE(exploration.violations().empty())
      << exploration.violations().size() << " violations; the first:\n"
      << exploration.violations().front();
  EXPECT_GT(exploration.states(), 1000u);
}

}  // namespace
}  // namespace genclip::test
