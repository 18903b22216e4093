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

// The same command pays only for a task of its own that has cost something: links are stored.
TEST(EndingJson, AFailureAtACostIsThatOfTheRunsOwnTask) {
  const auto has = [](const char *outcome, const char *charged, bool retry) {
    Error error{ErrorKind::failed, "No."};
    error.details = {{"outcome", std::string(outcome)}, {"charged", std::string(charged)}, {"retry", retry}};
    return has_failed_at_a_cost(error);
  };
  EXPECT_TRUE(has("failed", "yes", false));
  EXPECT_FALSE(has("failed", "yes", true)) << "only its links were paid";
  EXPECT_FALSE(has("failed", "no", false));
  EXPECT_FALSE(has("paid-unfetched", "yes", false));
}

TEST(EndingJson, HasTheNamesOfDetailsWithUnderscores) {
  Error error{ErrorKind::failed, "No."};
  error.details = {{"link-task-id", std::string("T1")}, {"retry-after", 2.5}};
  const Json json = failure_json(error, std::nullopt);
  for (const auto &[name, value] : *json.object()) EXPECT_EQ(name.find('-'), name.npos) << name;
  ASSERT_TRUE(json.find("link_task_id") && json.find("retry_after"));
  EXPECT_EQ(*json.find("link_task_id")->string(), "T1");
  EXPECT_EQ(*json.find("retry_after")->number(), 2.5);
}

// The amounts of a batch's rows that are not reused add up to what it has paid.
TEST(EndingJson, SaysOfAStoredClipThatCannotBeWrittenWhetherThisRunHasPaidIt) {
  const auto json_of = [](bool reused) {
    GenerationState state = chain(5, 0);
    state.clip_location = "/store/clip.mp4";
    state.task_id = "T1";
    state.reused = reused;
    state.charged = !reused;
    return failure_json(not_written({ErrorKind::write, "Full."}, state), std::nullopt);
  };
  const Json paid = json_of(false), reused = json_of(true);
  EXPECT_EQ(*paid.find("error")->string(), "Full. It is stored as /store/clip.mp4.");
  EXPECT_EQ(*paid.find("amount")->number(), 5);
  EXPECT_EQ(*paid.find("task_id")->string(), "T1");
  EXPECT_FALSE(paid.find("reused"));
  ASSERT_TRUE(reused.find("reused"));
  EXPECT_TRUE(*reused.find("reused")->boolean());
  EXPECT_FALSE(reused.find("amount"));
  EXPECT_EQ(*reused.find("outcome")->string(), "stored");
  EXPECT_EQ(*reused.find("charged")->string(), "no");
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

TEST(EndingJson, TellsOfARunThatWasStoppedBeforeItsRequestIsSentAgainThatNothingIsOnItsWay) {
  GenerationState stopped;
  stopped.status = ClipStatus::submitting;
  EXPECT_EQ(*state_json(stopped, "stopped").find("outcome")->string(), "unknown");
  stopped.sent_again_in = 0;
  EXPECT_EQ(*state_json(stopped, "stopped").find("outcome")->string(), "not-submitted");
}

TEST(EndingJson, TellsOfARunThatWasStoppedWhileItsClipCameThatItIsPaid) {
  GenerationState stopped = chain(-1, 0);
  stopped.status = ClipStatus::downloading;
  EXPECT_EQ(*state_json(stopped, "stopped").find("outcome")->string(), "running");
  stopped.completed = true;
  const Json json = state_json(stopped, "stopped");
  EXPECT_EQ(*json.find("outcome")->string(), "paid-unfetched");
  EXPECT_EQ(*json.find("charged")->string(), "yes");
  EXPECT_TRUE(*json.find("retry")->boolean());
}

TEST(EndingJson, TellsOfARunThatWasStoppedWhileAClipBeforeItsOwnCameThatItIsPaid) {
  GenerationState stopped = chain(-1, 7);
  stopped.status = ClipStatus::preparing;
  stopped.link_runs = true;
  EXPECT_EQ(*state_json(stopped, "stopped").find("outcome")->string(), "running");
  stopped.link_unfetched = true;
  EXPECT_EQ(*state_json(stopped, "stopped").find("outcome")->string(), "paid-unfetched");
}

TEST(EndingJson, TellsOfARunThatWasStoppedBetweenTwoClipsThatNoTaskIsLeftBehind) {
  GenerationState stopped = chain(-1, 7);
  stopped.links_charged = true;
  for (const ClipStatus status : {ClipStatus::preparing, ClipStatus::waiting, ClipStatus::idle}) {
    stopped.status = status;
    const Json json = state_json(stopped, "stopped");
    EXPECT_EQ(*json.find("outcome")->string(), "not-submitted");
    EXPECT_EQ(*json.find("charged")->string(), "yes");
    EXPECT_TRUE(*json.find("retry")->boolean());
  }
}

}  // namespace
}  // namespace genclip::test
