// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a person sees of a batch, as texts. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/utc_time.h"
#include "plugin/command/batch_plan.h"
#include "plugin/generation/clip_status.h"

namespace genclip {

struct BatchJobView {
  std::string name;
  std::string prompt;
  GenerationState state;
  int64_t seconds = 0;  // Since it began.
};

struct BatchTotals {
  size_t rows = 0;
  size_t done = 0;  // Clips that are where they belong.
  size_t gone = 0;  // Of these: that were in the store alone, and have left it again.
  size_t failed = 0;
  size_t failed_at_a_cost = 0;  // Of these: their tasks failed, and have cost something.
  double spent = 0;             // Credits, by this run.
  // Of the clips that this run has made: seconds from the beginning to the end.
  double made_seconds = 0;
  size_t made = 0;
  unsigned jobs = 1;  // Made at once; 0: no further clip begins.
};

// Columns of a name in job_line().
size_t name_columns(const std::string &name);
// "007  processing    50 %   after 0:42  a red kite over dunes", no wider than `columns`.
std::string job_line(const BatchJobView &job, size_t name_width, size_t columns);
// "12 of 20 done, 1 failed, 3 under way, 34.5 credits, about 4:10 left".
std::string total_line(const BatchTotals &totals, const std::vector<BatchJobView> &under_way, size_t columns);
// What changed, for a pipe: "007: processing, 50 %".
std::string change_line(const BatchJobView &job);

// Of a plan: "to pay", "paid", "may be paid", or "same" as a row before.
const char *plan_state_text(const PlannedClip &planned);
// "8 to 12.5 credits"; "about 8 credits" if it is only known what other clips of the model have cost.
std::string estimate_range(const Estimate &estimate);
// The same of a plan; empty: nothing is to pay.
std::string plan_cost_text(const PlannedClip &planned);
// "12.5 credits, and 2 clips whose cost is unknown".
std::string plan_total_text(const BatchPlan &plan);
// What it means for a list of prices that nobody said which service is meant; empty: it is known.
std::string address_hint(const BatchPlan &plan);
// The end of a run: "12 of 20 clips are there, 1 failed, 7 are left." `done`: what the 12 are.
std::string end_text(const BatchTotals &totals, const std::string &done);
inline constexpr char kGoOnText[] =
    "Run the same command again to go on: what is stored is not paid for again.";
// The same, and what it pays for again; empty: all rows are done. `resets`: of the spent budget that ended
// the run.
std::string go_on_text(const BatchTotals &totals, std::optional<UtcTime> resets = {});
// "7, 9, 12": at most ten, and how many more.
std::string places_text(const std::vector<std::string> &places);
// A problem with all the lines that have it. A file of many rows often has one mistake in each.
struct SameProblem {
  std::vector<unsigned> lines;
  std::string text;
};
// In the order in which they first come.
std::vector<SameProblem> same_problems(const std::vector<BatchProblem> &problems);
// Of the rows of a plan.
std::vector<BatchProblem> warnings_of(const BatchPlan &plan);
// What to do about clips of which nobody knows whether they are paid for. `places`: at least one, such as
// "7" with the noun "line", or "film.xges:12" without a noun. `are_left_out`: the command has --on-unknown
// `leaving`.
std::string doubt_text(const std::vector<std::string> &places, bool are_left_out,
                       const std::string &noun = "", const std::string &leaving = "fail");

// Seconds until all rows that still begin are done, if they take as long as those that were made, or as those
// under way will. Nothing: there is no telling yet.
std::optional<int64_t> seconds_left(const BatchTotals &totals, const std::vector<BatchJobView> &under_way);

}  // namespace genclip
