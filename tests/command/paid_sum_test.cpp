// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run of several clips says that it has paid.
#include "plugin/command/paid_sum.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

GenerationState made(const std::string &task_id, double amount, const std::vector<PaidTask> &links = {}) {
  GenerationState state;
  state.status = ClipStatus::completed;
  state.charged = true;
  state.completed = true;
  state.task_id = task_id;
  state.amount = amount;
  state.link_tasks = links;
  return state;
}

TEST(PaidSum, CountsATaskOnceThoughSeveralClipsBeginWithItsClip) {
  PaidSum sum;
  EXPECT_EQ(sum.count(made("a", 2, {{"x", 3}})), 5);
  EXPECT_EQ(sum.count(made("b", 2, {{"x", 3}})), 2);
  EXPECT_EQ(sum.count(made("x", 3)), 0) << "it is asked for by itself too";
  EXPECT_EQ(sum.to_text(), "Paid by this run: 7 credits.");
}

TEST(PaidSum, CountsEachTaskOfAClipThatIsMadeTwice) {
  PaidSum sum;
  GenerationState failed = made("", -1, {{"x1", 9}});
  failed.status = ClipStatus::failed;
  EXPECT_EQ(sum.count(failed), 9);
  failed.link_tasks = {{"x2", 9}};
  EXPECT_EQ(sum.count(failed), 9);
  EXPECT_EQ(sum.credits(), 18);
}

TEST(PaidSum, CountsWhatIsToldLater) {
  PaidSum sum;
  EXPECT_EQ(sum.count(made("a", -1)), 0);
  EXPECT_EQ(sum.to_text(), "Paid by this run: 0 credits, and a clip whose cost was not told.");
  EXPECT_EQ(sum.count(made("a", 4)), 4);
  EXPECT_EQ(sum.count(made("a", -1)), 0);
  EXPECT_EQ(sum.to_text(), "Paid by this run: 4 credits.");
}

// How a run has ended does not tell whether its task is paid.
TEST(PaidSum, TellsThatTheTaskOfARunThatFailedIsPaidOrUnderWay) {
  GenerationState failed = made("a", -1);
  failed.status = ClipStatus::failed;
  const Error late = with_ending({ErrorKind::timed_out, "Late."}, {Outcome::running, Charged::yes, true});
  const Error broken = with_ending({ErrorKind::read, "Cut."}, {Outcome::paid_unfetched, Charged::yes, true});
  PaidSum undelivered;
  EXPECT_EQ(undelivered.count_end(failed, broken), 0);
  EXPECT_EQ(undelivered.to_text(), "Paid by this run: 0 credits, and a clip whose cost was not told.");
  failed.completed = false;
  PaidSum under_way;
  EXPECT_EQ(under_way.count_end(failed, late), 0);
  EXPECT_EQ(under_way.to_text(),
            "Paid by this run: 0 credits, and a task under way whose cost is not known yet.");
  PaidSum free_of_charge;
  EXPECT_EQ(free_of_charge.count_end(failed, Error{ErrorKind::failed, "Moderated."}), 0);
  EXPECT_EQ(free_of_charge.to_text(), "Paid by this run: 0 credits.");
}

TEST(PaidSum, CountsNothingThatAnEarlierRunHasPaid) {
  PaidSum sum;
  GenerationState attached = made("a", 4);
  attached.reused = true;
  EXPECT_EQ(sum.count(attached), 0);
  GenerationState refused = made("", -1);
  refused.charged = false;
  EXPECT_EQ(sum.count(refused), 0);
  GenerationState stored = made("b", 9);
  stored.reused = true;
  stored.charged = false;
  EXPECT_EQ(sum.count(stored), 0);
  EXPECT_EQ(sum.to_text(), "Paid by this run: 0 credits. A task of another run came to 4 credits.");
  attached.task_id = "c";
  EXPECT_EQ(sum.count(attached), 0);
  EXPECT_EQ(sum.count(attached), 0);
  EXPECT_EQ(sum.to_text(), "Paid by this run: 0 credits. 2 tasks of another run came to 8 credits.");
}

TEST(PaidSum, TellsTasksThatWereLeftAndClipsBeforeWhoseCostIsUnknown) {
  PaidSum sum;
  GenerationState running = made("a", -1, {{"x", -1}, {"y", -1}});
  running.status = ClipStatus::processing;
  running.completed = false;
  EXPECT_EQ(sum.count_left(running), 0);
  EXPECT_EQ(
      sum.to_text(),
      "Paid by this run: 0 credits, and 2 clips whose cost was not told, and a task under way whose cost "
      "is not known yet.");
}

TEST(PaidSum, TellsATaskUnderWayOnceThoughSeveralClipsBeginWithIt) {
  GenerationState prepares = made("", -1, {{.id = "x", .is_under_way = true}});
  prepares.status = ClipStatus::preparing;
  prepares.completed = false;
  PaidSum sum;
  EXPECT_EQ(sum.count_left(prepares), 0);
  EXPECT_EQ(sum.count_left(prepares), 0);
  EXPECT_EQ(sum.to_text(), "Paid by this run: 0 credits, and a task under way whose cost is not known yet.");
  EXPECT_EQ(sum.count(made("x", 3)), 3) << "it has ended meanwhile";
  EXPECT_EQ(sum.to_text(), "Paid by this run: 3 credits.");
}

TEST(PaidSum, TellsNoTaskUnderWayWhereTheClipsBeforeAreDone) {
  GenerationState prepares = made("", -1, {{"x", 3}});
  prepares.status = ClipStatus::preparing;
  prepares.completed = false;
  PaidSum sum;
  EXPECT_EQ(sum.count_left(prepares), 3);
  EXPECT_EQ(sum.to_text(), "Paid by this run: 3 credits.");
  prepares.link_tasks.clear();
  PaidSum of_an_earlier_run;
  EXPECT_EQ(of_an_earlier_run.count_left(prepares), 0);
  EXPECT_EQ(of_an_earlier_run.to_text(), "Paid by this run: 0 credits.");
}

}  // namespace
}  // namespace genclip::test
