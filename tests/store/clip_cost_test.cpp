// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What clips have cost, as people read it, and what is said of those that make room.
#include "plugin/store/clip_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/store/clip_removal.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;
using testing::Not;

StoredClip clip_of(const std::string &digest, const std::string &task_id, double amount) {
  StoredClip clip;
  clip.digest = digest;
  clip.record = ClipRecord{};
  clip.record->task_id = task_id;
  clip.record->amount = amount;
  return clip;
}

TEST(ClipCost, CreditsHaveNoSpareZeros) {
  const std::pair<double, const char *> cases[] = {
      {-1, ""}, {0, "0"}, {2, "2"}, {2.5, "2.5"}, {10, "10"}, {0.0625, "0.0625"}, {1e6, "1000000"}};
  for (const auto &[credits, text] : cases) EXPECT_EQ(credits_text(credits), text) << credits;
}

TEST(ClipCost, WhatIsUnknownIsNotNothing) {
  EXPECT_EQ(cost_text(1), "1 credit");
  EXPECT_EQ(cost_text(2.5), "2.5 credits");
  EXPECT_EQ(cost_text(-1), "an unknown number of credits");
  std::vector<StoredClip> clips = {clip_of("a", "t", 2), clip_of("b", "t", 0.5)};
  EXPECT_EQ(cost_of(clips).text(), "2.5 credits");
  clips.push_back(clip_of("c", "t", -1));
  EXPECT_EQ(cost_of(clips).text(), "2.5 credits, without one clip whose cost was not told");
  clips.emplace_back();
  EXPECT_EQ(cost_of(clips).text(), "2.5 credits, without 2 clips whose cost was not told");
}

TEST(ClipCost, OfARequestThatWasRefusedOrFailedIsNothingUnlessItWasTold) {
  std::vector<StoredClip> clips = {clip_of("a", "", -1), clip_of("b", "t", -1), clip_of("c", "t", 3)};
  clips[0].record->state = ClipState::refused;
  clips[1].record->state = clips[2].record->state = ClipState::failed;
  EXPECT_EQ(cost_of(clips).text(), "3 credits");
  clips.push_back(clip_of("d", "t", -1));
  clips.back().record->state = ClipState::submitted;
  EXPECT_EQ(cost_of(clips).untold, 1u);
}

TEST(ClipCost, OfAClipUnderWayIsToldLater) {
  std::vector<StoredClip> clips = {clip_of("a", "t", 3), clip_of("b", "u", -1)};
  clips[1].record->state = ClipState::submitted;
  EXPECT_EQ(cost_of(clips).text(), "3 credits, without one clip that is under way");
  clips.push_back(clips[1]);
  EXPECT_EQ(cost_of(clips).text(), "3 credits, without 2 clips that are under way");
  clips.push_back(clips[1]);
  clips.back().record->completed_tasks = {"u"};
  EXPECT_EQ(cost_of(clips).text(),
            "3 credits, without 3 clips whose cost was not told, of which 2 are under way");
}

TEST(ClipCost, HasThatOfAClipWhichIsToBeReplaced) {
  StoredClip clip = clip_of("a", "successor", -1);
  clip.record->state = ClipState::submitted;
  EXPECT_EQ(told_cost(clip), -1);
  EXPECT_EQ(cost_text(clip), "an unknown number of credits");
  clip.record->replaced = std::make_shared<const ClipRecord>(*clip_of("a", "t", 2).record);
  EXPECT_EQ(told_cost(clip), 2);
  EXPECT_EQ(cost_text(clip), "2 credits, without one clip that is under way");
  clip.record->amount = 3;
  EXPECT_EQ(told_cost(clip), 5);
  EXPECT_EQ(cost_of(std::vector{clip}).text(), "5 credits");
}

// A service that knows the request may answer with the task of the clip that is to be replaced.
TEST(ClipCost, OfOneTaskCountsOnce) {
  for (const double amount : {2.0, -1.0}) {
    StoredClip clip = clip_of("a", "t", amount);
    clip.record->replaced = std::make_shared<const ClipRecord>(*clip_of("a", "t", 2).record);
    EXPECT_EQ(told_cost(clip), 2) << amount;
    EXPECT_EQ(cost_of(std::vector{clip}).text(), "2 credits") << amount;
  }
}

TEST(RemovalText, NamesTheTasksThatMayStillBringAClip) {
  Pruned pruned;
  pruned.removed = {clip_of("0123456789abcdef", "t-1", 12)};
  pruned.removed[0].record->state = ClipState::complete;
  pruned.removed[0].record->unfetched_tasks = {"t-9"};
  EXPECT_THAT(
      removal_text(pruned),
      HasSubstr("Task t-9 of 01234567 is, or may be, paid for, and its clip is not here. To fetch it: "
                "genclip store fetch t-9."));
}

TEST(RemovalText, NamesEachClipItsTaskAndItsCost) {
  Pruned pruned;
  EXPECT_EQ(removal_text(pruned), "");
  pruned.removed = {clip_of("0123456789abcdef", "t-1", 12)};
  EXPECT_EQ(
      removal_text(pruned),
      "One clip was removed from the store to make room (store-max-size): 01234567, task t-1, which cost "
      "12 credits. As long as the service keeps a task, genclip store fetch gets its clip again by the "
      "task's ID.");
  pruned.removed.push_back(clip_of("fedcba9876543210", "t-2", 1));
  EXPECT_THAT(
      removal_text(pruned),
      HasSubstr("2 clips were removed from the store to make room (store-max-size): 01234567, task t-1, "
                "which cost 12 credits; fedcba98, task t-2, which cost 1 credit. Together they cost 13 "
                "credits. "));
}

TEST(RemovalText, OfManyTellsSomeAndTheCostOfAll) {
  Pruned pruned;
  for (int i = 0; i < 25; ++i)
    pruned.removed.push_back(clip_of(std::string(64, 'a'), "t-" + std::to_string(i), 2));
  EXPECT_THAT(removal_text(pruned), HasSubstr("25 clips were removed"));
  EXPECT_THAT(removal_text(pruned),
              HasSubstr("task t-9, which cost 2 credits; and 15 more. Together they cost 50 "));
  EXPECT_THAT(removal_text(pruned), Not(HasSubstr("t-10")));
}

}  // namespace
}  // namespace genclip::test
