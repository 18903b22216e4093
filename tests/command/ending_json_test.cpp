// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What programs read of a run's money.
#include "plugin/command/ending_json.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

GenerationState chain(double own, double links) {
  GenerationState state;
  state.status = ClipStatus::completed;
  state.charged = true;
  state.amount = own;
  state.links_amount = links;
  return state;
}

std::optional<double> amount_of(const GenerationState &state, std::string_view status = "completed") {
  const Json json = state_json(state, status);
  const Json *amount = json.find("amount");
  return amount ? amount->number() : std::nullopt;
}

TEST(EndingJson, TellsTheSumThatTheRunHasPaid) {
  EXPECT_EQ(amount_of(chain(5, 7)), 12);
  EXPECT_EQ(amount_of(chain(5, 0)), 5);
  EXPECT_EQ(amount_of(chain(0, 0)), 0);
  EXPECT_EQ(amount_of(chain(-1, 7)), 7) << "as far as it was told";
  EXPECT_EQ(amount_of(chain(-1, 0)), std::nullopt);
}

TEST(EndingJson, TellsWhatAClipCostThatExisted) {
  GenerationState stored = chain(5, 0);
  stored.reused = true;
  EXPECT_EQ(amount_of(stored), 5);
}

TEST(EndingJson, TellsOfAStoppedRunWhatTheClipsBeforeItCost) {
  GenerationState stopped = chain(-1, 7);
  stopped.status = ClipStatus::waiting;
  stopped.charged = false;
  EXPECT_EQ(amount_of(stopped, "stopped"), 7);
  const Json json = state_json(stopped, "stopped");
  EXPECT_EQ(*json.find("outcome")->string(), "not-submitted");
  EXPECT_EQ(*json.find("charged")->string(), "yes");
}

}  // namespace
}  // namespace genclip::test
