// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run says that it has cost.
#include "plugin/command/done_text.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

GenerationState made() {
  GenerationState state;
  state.status = ClipStatus::completed;
  state.task_id = "t-7";
  state.amount = 5.75;
  state.charged = true;
  return state;
}

TEST(DoneText, OfANewClipIsItsCost) {
  EXPECT_EQ(done_text(made()), "Done, task t-7, 5.75 credits.");
  GenerationState untold = made();
  untold.amount = -1;
  EXPECT_EQ(done_text(untold), "Done, task t-7.");
}

TEST(DoneText, OfAStoredClipSaysThatThisRunCostNothing) {
  GenerationState stored = made();
  stored.reused = true;
  stored.charged = false;
  EXPECT_EQ(done_text(stored),
            "Done, nothing new was submitted: the clip was in the store (task t-7), and this run cost "
            "nothing. It cost "
            "5.75 credits when it was made.");
  stored.amount = -1;
  stored.task_id.clear();
  EXPECT_EQ(done_text(stored),
            "Done, nothing new was submitted: the clip was in the store, and this run cost nothing.");
}

TEST(DoneText, OfATaskThatExistedIsTheTasksCost) {
  GenerationState attached = made();
  attached.reused = true;
  EXPECT_EQ(done_text(attached),
            "Done, nothing new was submitted: this run attached to task t-7, which costs 5.75 credits.");
}

TEST(DoneText, OfAChainIsTheCostOfAllThatThisRunHasPaid) {
  GenerationState chain = made();
  chain.links_amount = 9.25;
  EXPECT_EQ(done_text(chain),
            "Done, task t-7, 5.75 credits; the clips before it cost 9.25 credits, together 15 credits.");
  chain.amount = -1;
  EXPECT_EQ(done_text(chain), "Done, task t-7; the clips before it cost 9.25 credits.");
}

}  // namespace
}  // namespace genclip::test
