// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a person sees of a batch.
#include "plugin/command/batch_view.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

BatchJobView job(ClipStatus status, int progress, int64_t seconds) {
  GenerationState state;
  state.status = status;
  state.progress = progress;
  return {"007", "a red kite over dunes, seen from far above the sea", state, seconds};
}

TEST(BatchView, HasALineForEachJob) {
  EXPECT_EQ(job_line(job(ClipStatus::processing, 50, 42), 3, 90),
            "007  processing    50 %   after 0:42  a red kite over dunes, seen from far above the sea");
  EXPECT_EQ(job_line(job(ClipStatus::submitting, -1, 605), 3, 50),
            "007  submitting          after 10:05  a red kite …");
  EXPECT_EQ(job_line(job(ClipStatus::downloading, 100, 3), 5, 40),
            "007    downloading          after 0:03 …");
}

TEST(BatchView, GivesNamesTheirColumnsUpToAWidth) {
  EXPECT_EQ(name_columns("storm"), 5);
  EXPECT_EQ(name_columns("风筝"), 4);
  EXPECT_EQ(name_columns("a very long name of a shot"), 12);
}

TEST(BatchView, SaysWhatToDoAboutClipsInDoubt) {
  EXPECT_EQ(doubt_text({"7"}, false, "line").find("It is unknown whether the clip of line 7 was paid for."),
            0);
  std::vector<std::string> lines = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};
  EXPECT_NE(doubt_text(lines, false, "line").find("clips of lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 were paid"),
            std::string::npos);
  lines.emplace_back("11");
  EXPECT_NE(doubt_text(lines, false, "line").find(" 9, 10 and 1 more were paid"), std::string::npos);
  EXPECT_EQ(doubt_text({"a.xges:3", "b\n:4"}, false)
                .find("It is unknown whether the clips of a.xges:3, b :4 were paid for."),
            0);
}

// It said that the same command submits them again, or leaves them out with an option that was given.
TEST(BatchView, SaysThatClipsInDoubtAreLeftOutWhereTheyAre) {
  const std::string text = doubt_text({"7", "9"}, true, "line");
  EXPECT_NE(text.find("The same command leaves them out."), std::string::npos) << text;
  EXPECT_EQ(text.find("--on-unknown"), std::string::npos) << text;
  PlannedClip planned;
  planned.may_be_paid = true;
  EXPECT_EQ(plan_cost_text(planned), "unknown");
  planned.is_left_out = true;
  EXPECT_STREQ(plan_state_text(planned), "may be paid");
  EXPECT_EQ(plan_cost_text(planned), "") << "it is not to be paid";
}

TEST(BatchView, SaysWhatIsWrongWithManyRowsOnce) {
  const auto few = same_problems({{0, "file"}, {1, "a"}, {2, "b"}, {3, "a"}});
  ASSERT_EQ(few.size(), 4u) << "each with its line";
  EXPECT_EQ(few[3].lines, std::vector<unsigned>{3});
  const auto same = same_problems({{0, "file"}, {1, "a"}, {2, "b"}, {3, "a"}, {5, "a"}, {8, "a"}});
  ASSERT_EQ(same.size(), 3u);
  EXPECT_EQ(same[0].lines, std::vector<unsigned>{0});
  EXPECT_EQ(same[1].lines, (std::vector<unsigned>{1, 3, 5, 8}));
  EXPECT_EQ(same[1].text, "a");
  EXPECT_EQ(same[2].lines, std::vector<unsigned>{2});
}

TEST(BatchView, ShowsNoControlsOfAPrompt) {
  BatchJobView view = job(ClipStatus::queued, -1, 0);
  view.prompt = "a\nb\033[2J";
  EXPECT_EQ(job_line(view, 3, 200).find_first_of("\n\033"), std::string::npos);
}

TEST(BatchView, HasATotal) {
  BatchTotals totals;
  totals.rows = 20;
  totals.jobs = 2;
  EXPECT_EQ(total_line(totals, {job(ClipStatus::queued, -1, 1)}, 200),
            "0 of 20 done, 1 under way, 0 credits");
  totals.done = 12;
  totals.failed = 1;
  totals.spent = 34.5;
  totals.made = 10;
  totals.made_seconds = 600;
  // 6 wait, and 1 has half of its minute left: 390 s of work for two.
  EXPECT_EQ(total_line(totals, {job(ClipStatus::processing, 50, 30)}, 200),
            "12 of 20 done, 1 failed, 1 under way, 34.5 credits, about 3:15 left");
}

TEST(BatchView, SaysAtTheEndWhereTheClipsAre) {
  BatchTotals totals;
  totals.rows = totals.done = 3;
  EXPECT_EQ(end_text(totals, "stored"), "3 of 3 clips are stored.");
  totals.gone = 1;
  EXPECT_EQ(end_text(totals, "stored"),
            "3 of 3 clips are done. Of them, 1 has left the store again to make room.");
}

TEST(BatchView, AdvisesToGoOnButForWhatIsPaidAgain) {
  BatchTotals totals;
  totals.rows = totals.done = 3;
  EXPECT_EQ(go_on_text(totals), "");
  totals.done = 1;
  totals.failed = 1;
  EXPECT_EQ(go_on_text(totals), kGoOnText);
  EXPECT_EQ(go_on_text(totals, utc_time("2026-11-30T00:00:00Z")),
            "Run the same command again after 2026-11-30 00:00 UTC to go on: what is stored is not paid for "
            "again.");
  totals.failed_at_a_cost = 1;
  EXPECT_EQ(go_on_text(totals), std::string(kGoOnText) +
                                    " 1 failed at a cost: the same command pays for it again, so change or "
                                    "remove it first.");
  totals.failed = totals.failed_at_a_cost = 2;
  EXPECT_EQ(go_on_text(totals),
            "2 failed at a cost: the same command pays for them again, so change or remove them first.");
}

TEST(BatchView, BelievesAJobThatTellsItsTime) {
  BatchTotals totals;
  totals.rows = 1;
  totals.jobs = 4;
  totals.made = 1;
  totals.made_seconds = 60;
  BatchJobView view = job(ClipStatus::processing, 50, 10);
  EXPECT_EQ(seconds_left(totals, {view}), 50);
  view.state.eta = 200;
  EXPECT_EQ(seconds_left(totals, {view}), 200);
}

TEST(BatchView, GuessesTheTimeOfTheRowsFromJobsThatTellTheirs) {
  BatchTotals totals;
  totals.rows = 6;
  totals.jobs = 2;
  BatchJobView knows = job(ClipStatus::processing, 50, 20);
  knows.state.eta = 40;
  const BatchJobView knows_not = job(ClipStatus::queued, -1, 10);
  EXPECT_FALSE(seconds_left(totals, {knows_not}));
  // A minute each: 4 rows wait, 40 s and 50 s are left, shared by two.
  EXPECT_EQ(seconds_left(totals, {knows, knows_not}), 165);
  totals.jobs = 1;  // The service refuses for now, but those under way go on.
  EXPECT_EQ(seconds_left(totals, {knows, knows_not}), 165);
  totals.jobs = 0;
  EXPECT_EQ(seconds_left(totals, {knows, knows_not}), 50);
}

TEST(BatchView, SaysWhatTakesLongerThanUsual) {
  BatchJobView view = job(ClipStatus::processing, -1, 605);
  view.state.overdue = true;
  EXPECT_EQ(job_line(view, 3, 60), "007  processing          after 10:05  longer than usual  a …");
  EXPECT_EQ(change_line(view), "007: processing, longer than usual");
}

TEST(BatchView, TellsChangesToAPipe) {
  EXPECT_EQ(change_line(job(ClipStatus::processing, 50, 42)), "007: processing, 50 %");
  EXPECT_EQ(change_line(job(ClipStatus::queued, -1, 1)), "007: queued");
}

TEST(BatchView, TellsAPriceOfOtherClipsAsAGuess) {
  PlannedClip planned;
  planned.estimate = Estimate{7.75, 7.75, 7.75, 3, "same"};
  EXPECT_EQ(plan_cost_text(planned), "7.75 credits");
  planned.estimate->basis = "range";
  EXPECT_EQ(plan_cost_text(planned), "about 7.75 credits");
  planned.estimate->low = 5;
  EXPECT_EQ(plan_cost_text(planned), "5 to 7.75 credits");
}

}  // namespace
}  // namespace genclip
