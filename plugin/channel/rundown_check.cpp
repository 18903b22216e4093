// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What can be said of a rundown before anything is sent.
#include <glib.h>

#include <algorithm>
#include <iterator>

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
      const std::chrono::duration<double> rest =
          std::chrono::duration<double>(std::min(judged.duration.value_or(0), kLongest)) - item.in;
      if (rest.count() > 0) item.expected_length = std::chrono::round<std::chrono::nanoseconds>(rest);
    }
    if (item.fresh == Fresh::each_turn && !is_clip_uri(item.source))
      rundown.warnings.push_back({item.line, "\"fresh\" has no effect on \"" + shown_source(item.source) +
                                                 "\", which is not generated."});
  }
  for (const std::string &source : rundown.fallback)
    if (const std::string problem = judge_source(source, true, dry).problem; !problem.empty())
      rundown.warnings.push_back({0, "A fallback is left out. " + problem});
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
