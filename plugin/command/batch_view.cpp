// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/batch_view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "plugin/account/decision.h"
#include "plugin/command/amounts.h"
#include "plugin/command/console.h"
#include "plugin/command/text_table.h"
#include "plugin/store/clip_cost.h"

namespace genclip {
namespace {

constexpr size_t kStatusWidth = sizeof "downloading" - 1;
constexpr size_t kWidestName = 12;
// Each with its own FILE:LINE, which editors open.
constexpr size_t kMostAlone = 3;
constexpr size_t kMostPlaces = 10;

std::string padded(const std::string &text, size_t width) {
  const size_t has = width_of(text);
  return has < width ? text + std::string(width - has, ' ') : text;
}

// The percentage is the task's, not the download's.
std::string batch_percent_text(const GenerationState &state) {
  const bool is_known = state.progress >= 0 && state.status != ClipStatus::downloading;
  return is_known ? std::to_string(state.progress) + " %" : "";
}

std::string batch_status_text(const GenerationState &state) {
  return state.status == ClipStatus::idle ? "waiting" : to_word(state.status);
}

// What a clip takes: of those that were made, else of those under way that tell when they will be.
std::optional<double> mean_seconds(const BatchTotals &totals, const std::vector<BatchJobView> &under_way) {
  if (totals.made > 0) return totals.made_seconds / static_cast<double>(totals.made);
  double seconds = 0;
  size_t known = 0;
  for (const BatchJobView &job : under_way) {
    if (job.state.eta < 0) continue;
    seconds += static_cast<double>(job.seconds) + job.state.eta;
    ++known;
  }
  return known > 0 ? std::optional(seconds / static_cast<double>(known)) : std::nullopt;
}

// As if it took as long as those before it; what it says itself is better.
double left_of(const BatchJobView &job, double mean) {
  if (job.state.eta >= 0) return job.state.eta;
  return std::max(mean - static_cast<double>(job.seconds), 0.0);
}

}  // namespace

size_t name_columns(const std::string &name) { return width_of(cut_to(printable(name), kWidestName)); }

std::string job_line(const BatchJobView &job, size_t name_width, size_t columns) {
  const std::string percent = batch_percent_text(job.state);
  const std::string time = "after " + clock_text(job.seconds);
  std::string line = padded(cut_to(printable(job.name), kWidestName), name_width) + "  " +
                     padded(batch_status_text(job.state), kStatusWidth) + "  " +
                     std::string(5 - std::min<size_t>(percent.size(), 5), ' ') + percent + "  " +
                     std::string(11 - std::min<size_t>(time.size(), 11), ' ') + time + "  " +
                     (job.state.overdue ? "longer than usual  " : "") + printable(job.prompt);
  return cut_to(line, columns);
}

std::string total_line(const BatchTotals &totals, const std::vector<BatchJobView> &under_way,
                       size_t columns) {
  std::string line = std::to_string(totals.done) + " of " + std::to_string(totals.rows) + " done";
  if (totals.failed > 0) line += ", " + std::to_string(totals.failed) + " failed";
  if (!under_way.empty()) line += ", " + std::to_string(under_way.size()) + " under way";
  line += ", " + cost_text(totals.spent);
  if (const auto left = seconds_left(totals, under_way)) line += ", about " + clock_text(*left) + " left";
  return cut_to(line, columns);
}

std::string change_line(const BatchJobView &job) {
  std::string line = printable(job.name) + ": " + batch_status_text(job.state);
  if (const std::string percent = batch_percent_text(job.state); !percent.empty()) line += ", " + percent;
  if (job.state.overdue) line += ", longer than usual";
  return line;
}

std::string address_hint(const BatchPlan &plan) {
  for (const PlannedClip &planned : plan.clips)
    if (planned.plan.job.identity.base_url.empty())
      return "No GENCLIP_BASE_URL: stored clips count as to pay, too.";
  return {};
}

std::string end_text(const BatchTotals &totals, const std::string &done) {
  const size_t left = totals.rows - totals.done - totals.failed;
  std::string text = std::to_string(totals.done) + " of " + std::to_string(totals.rows) +
                     (totals.rows == 1 ? " clip is " : " clips are ") + (totals.gone > 0 ? "done" : done);
  if (totals.failed > 0) text += ", " + std::to_string(totals.failed) + " failed";
  if (left > 0) text += ", " + std::to_string(left) + (left == 1 ? " is" : " are") + " left";
  text += ".";
  if (totals.gone > 0)
    text += " Of them, " + std::to_string(totals.gone) + (totals.gone == 1 ? " has" : " have") +
            " left the store again to make room.";
  return text;
}

std::string go_on_text(const BatchTotals &totals, std::optional<UtcTime> resets) {
  const size_t cost = totals.failed_at_a_cost;
  std::string text = totals.done + cost < totals.rows ? kGoOnText : "";
  constexpr std::string_view kAgain = "Run the same command again";
  if (resets && !text.empty()) text.insert(kAgain.size(), " after " + minute_text(*resets));
  if (cost == 0) return text;
  const char *them = cost == 1 ? "it" : "them";
  return text + (text.empty() ? "" : " ") + std::to_string(cost) +
         " failed at a cost: the same command pays for " + them + " again, so change or remove " + them +
         " first.";
}

std::string places_text(const std::vector<std::string> &places) {
  std::string text;
  for (size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i)
    text += (i == 0 ? "" : ", ") + printable(places[i]);
  if (places.size() > kMostPlaces) text += " and " + std::to_string(places.size() - kMostPlaces) + " more";
  return text;
}

std::vector<SameProblem> same_problems(const std::vector<BatchProblem> &problems) {
  std::map<std::string, size_t> rows;
  for (const BatchProblem &problem : problems) ++rows[problem.text];
  std::vector<SameProblem> all;
  std::map<std::string, size_t> by_text;
  for (const BatchProblem &problem : problems) {
    const bool is_alone = rows[problem.text] <= kMostAlone;
    const auto place = is_alone ? all.size() : by_text.emplace(problem.text, all.size()).first->second;
    if (place == all.size()) all.push_back({{}, problem.text});
    all[place].lines.push_back(problem.line);
  }
  return all;
}

std::vector<BatchProblem> warnings_of(const BatchPlan &plan) {
  std::vector<BatchProblem> warnings;
  for (const PlannedClip &planned : plan.clips)
    if (!planned.same_as)
      for (const std::string &warning : planned.plan.warnings)
        warnings.push_back({planned.clip.line, warning});
  return warnings;
}

std::string doubt_text(const std::vector<std::string> &places, bool are_left_out, const std::string &noun,
                       const std::string &leaving) {
  const bool one = places.size() == 1;
  const std::string them = one ? "it" : "them";
  const std::string text = (noun.empty() ? "" : noun + (one ? " " : "s ")) + places_text(places);
  return "It is unknown whether the " + std::string(one ? "clip" : "clips") + " of " + text +
         (one ? " was" : " were") + " paid for. The same command " +
         (are_left_out
              ? "leaves " + them + " out. Look into the account at the service: genclip cost shows the "
              : "submits " + them + " again, which may pay twice, or leaves " + them +
                    " out with --on-unknown " + leaving +
                    ". Look into the account at the service first: "
                    "genclip cost shows the ") +
         (one ? "key" : "keys") + ", and genclip cost correct KEY CREDITS enters what was charged.";
}

std::optional<int64_t> seconds_left(const BatchTotals &totals, const std::vector<BatchJobView> &under_way) {
  const auto mean = mean_seconds(totals, under_way);
  if (!mean) return std::nullopt;
  const size_t over = totals.done + totals.failed + under_way.size();
  const size_t waiting = totals.rows > over && totals.jobs > 0 ? totals.rows - over : 0;
  double work = static_cast<double>(waiting) * *mean;
  double longest = 0;
  for (const BatchJobView &job : under_way) {
    const double left = left_of(job, *mean);
    work += left;
    longest = std::max(longest, left);
  }
  // Shared by all jobs, but no clip is shared.
  const auto jobs = std::max<size_t>({totals.jobs, under_way.size(), 1});
  return std::llround(std::max(work / static_cast<double>(jobs), longest));
}

const char *plan_state_text(const PlannedClip &planned) {
  if (planned.same_as) return "same";
  if (planned.may_be_paid) return "may be paid";
  return planned.is_paid ? "paid" : "to pay";
}

std::string estimate_range(const Estimate &estimate) {
  if (estimate.low < estimate.high) return amount_text(estimate.low) + " to " + cost_text(estimate.high);
  // Of the assumed price, or of clips that are not quite such ones, as of another duration.
  return (estimate.basis == "same" ? "" : "about ") + cost_text(estimate.high);
}

std::string plan_cost_text(const PlannedClip &planned) {
  if (planned.same_as || planned.is_paid || planned.is_left_out) return "";
  return planned.estimate ? estimate_range(*planned.estimate) : "unknown";
}

std::string plan_total_text(const BatchPlan &plan) {
  if (plan.to_pay == 0) return "nothing";
  std::string text = plan.total ? estimate_range(*plan.total) : "";
  if (plan.unknown > 0)
    text += (text.empty() ? "" : ", and ") + std::to_string(plan.unknown) +
            (plan.unknown == 1 ? " clip whose cost is unknown" : " clips whose cost is unknown");
  return text;
}

}  // namespace genclip
