// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What can be said of a rundown before anything is sent.
#include <glib.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "plugin/base/number.h"
#include "plugin/catalog/inner_clip.h"
#include "plugin/catalog/media_extension.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/shown_source.h"

namespace genclip {
namespace {

// Files of these types hold one picture. Whether others do, vetting finds out.
constexpr std::string_view kStillTypes[] = {"image/jpeg", "image/png", "image/bmp", "image/tiff",
                                            "image/svg+xml"};

constexpr double kLongest = 24 * 3600;  // Seconds of a clip; a request may hold any number.

struct Judged {
  std::string problem;             // Empty: none is known.
  std::optional<double> duration;  // Seconds of the clip that it makes.
};

// Of a source. `has_length`: how long a still is shown is known.
Judged judge_clip(const std::string &source, bool has_length, const RunSettings &dry) {
  const auto plan = plan_item(source, take_of_uri(source), dry);
  if (!plan) return {plan.error().text, {}};
  if (!plan->job.request) return {};
  const bool is_still = plan->job.request->spec().result == ResultKind::image;
  return {is_still && !has_length ? kStillNeedsDuration : "", clip_duration(*plan->job.request)};
}

std::string seconds_text(double seconds) { return rounded_text(seconds, 3) + " s"; }

// From `in` on. A part that begins at the clip's end or behind it would be paid for and never shown.
void set_expected_length(RundownItem &item, double duration) {
  const std::chrono::duration<double> in = item.in;
  const auto rest = std::chrono::duration<double>(std::min(duration, kLongest)) - in;
  if (rest.count() > 0)
    item.expected_length = std::chrono::round<std::chrono::nanoseconds>(rest);
  else
    item.problem = "It lasts " + seconds_text(duration) + ", and \"in\" is " + seconds_text(in.count()) + ".";
}

std::string left_out(const std::string &problem) { return "A fallback is left out. " + problem; }

void warn(Rundown &rundown, RundownLine warning) {
  if (std::ranges::find(rundown.warnings, warning) == rundown.warnings.end())
    rundown.warnings.push_back(std::move(warning));
}

Judged judge_source(const std::string &source, bool has_length, const RunSettings &dry) {
  if (is_clip_uri(source)) return judge_clip(source, has_length, dry);
  constexpr const char *kSchemes[] = {"file", "http", "https"};
  const char *scheme = g_uri_peek_scheme(source.c_str());
  const auto is_this = [&](const char *known) { return scheme && g_str_equal(scheme, known); };
  if (std::any_of(std::begin(kSchemes), std::end(kSchemes), is_this)) {
    const std::string type = media_type_of_path(source);
    const bool is_still = std::ranges::find(kStillTypes, type) != std::end(kStillTypes);
    return {is_still && !has_length ? kStillNeedsDuration : "", {}};
  }
  return {
      "\"" + shown_source(source) + "\" cannot be shown: a source is a genclip:, file:, http: or https: URI.",
      {}};
}

}  // namespace

bool is_bound(const Budget &budget) {
  return budget.per_day > 0 || budget.per_month > 0 || budget.total > 0 || budget.tasks_per_day > 0;
}

void judge_rundown(Rundown &rundown, const RunSettings &run) {
  RunSettings dry = run;
  dry.dry_run = true;
  for (RundownItem &item : rundown.items) {
    if (item.problem.empty()) {
      Judged judged = judge_source(item.source, item.length.has_value(), dry);
      item.problem = std::move(judged.problem);
      if (item.problem.empty() && judged.duration) set_expected_length(item, *judged.duration);
    }
    if (item.fresh == Fresh::each_turn && !is_clip_uri(item.source))
      warn(rundown, {item.line, "\"fresh\" has no effect on \"" + shown_source(item.source) +
                                    "\", which is not generated."});
  }
  for (std::string &source : std::exchange(rundown.fallback, {})) {
    std::string problem = judge_source(source, true, dry).problem;
    if (problem.empty()) {
      rundown.fallback.push_back(std::move(source));
      continue;
    }
    warn(rundown, {0, left_out(problem)});
    rundown.refused_fallback.push_back({std::move(source), std::move(problem)});
  }
}

void forget_judgement(Rundown &rundown) {
  for (RundownItem &item : rundown.items) item.problem.clear();
  for (RefusedFallback &refused : std::exchange(rundown.refused_fallback, {})) {
    std::erase(rundown.warnings, RundownLine{0, left_out(refused.problem)});
    rundown.fallback.push_back(std::move(refused.source));
  }
}

Result<void, RundownLine> check_budget(const Rundown &rundown,
                                       const std::function<Result<Budget>()> &read_budget) {
  const auto pays = std::find_if(rundown.items.begin(), rundown.items.end(), [](const RundownItem &item) {
    return item.fresh == Fresh::each_turn && is_clip_uri(item.source);
  });
  if (pays == rundown.items.end()) return {};
  const auto budget = read_budget();
  if (!budget) return RundownLine{pays->line, budget.error().text};
  if (is_bound(*budget)) return {};
  return RundownLine{
      pays->line,
      "The item \"" + pays->id +
          "\" is generated anew in each turn, so the channel pays as long as it runs, and the store "
          "has no budget that ends this. Set one, for example: genclip budget set --per-day 100."};
}

}  // namespace genclip
