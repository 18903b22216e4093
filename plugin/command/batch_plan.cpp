// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/batch_plan.h"

#include <glib.h>

#include <algorithm>
#include <map>

#include "plugin/account/budget.h"
#include "plugin/account/ledger.h"
#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/catalog/wording.h"
#include "plugin/command/batch_outputs.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/output_pattern.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/generation/store_account.h"

namespace genclip {
namespace {

std::string in_folder(const std::string &folder, const std::string &name) {
  if (folder.empty()) return name;
  const GStringPtr path(g_build_filename(folder.c_str(), name.c_str(), nullptr));
  return path.get();
}

class BatchPlanner {
 public:
  BatchPlanner(const Catalog &catalog, const RunSettings &run, BatchPlaces places)
      : catalog_(catalog), run_(run), places_(std::move(places)) {}

  BatchPlan plan(const BatchRows &rows, const std::vector<BatchCell> &defaults) {
    std::vector<BatchProblem> problems = rows.problems;
    std::vector<BatchClip> clips;
    for (const BatchRow &row : rows.rows) {
      auto clip = batch_clip_of(catalog_, row, defaults);
      if (!clip)
        problems.push_back({row.line, shown(clip.error())});
      else
        clips.push_back(std::move(*clip));
    }
    return plan(std::move(clips), std::move(problems));
  }

  BatchPlan plan(std::vector<BatchClip> clips, std::vector<BatchProblem> problems) {
    plan_.problems = std::move(problems);
    plan_.leaves_out = run_.on_unknown == OnUnknownSubmit::fail;
    if (!places_.output_dir.empty())
      if (const auto folder = check_output_folder(places_.output_dir); !folder)
        add_problem(0, folder.error().text);
    if (may_connect())
      for (BatchClip &clip : clips) add(std::move(clip));
    if (plan_.problems.empty() && !run_.dry_run) plan_to_run();
    std::stable_sort(plan_.problems.begin(), plan_.problems.end(),
                     [](const BatchProblem &a, const BatchProblem &b) { return a.line < b.line; });
    if (plan_.problems.empty()) price_all();
    return std::move(plan_);
  }

 private:
  // A problem whose text would show the key is replaced by that.
  std::string shown(const Error &problem) const {
    const auto clean = check_for_key({problem.text}, run_);
    return clean ? problem.text : clean.error().text;
  }

  void add_problem(unsigned line, std::string text) { plan_.problems.push_back({line, std::move(text)}); }

  RunSettings run_of(const BatchClip &clip) const {
    RunSettings run = run_;
    if (!clip.project.empty()) run.project = clip.project;
    return run;
  }

  // Told once, and not for each row. The address may be missing yet.
  bool may_connect() {
    RunSettings run = run_;
    run.dry_run = true;
    const std::vector<Problem> problems = connection_problems(run);
    if (!problems.empty()) add_problem(0, problems_text(problems));
    return problems.empty();
  }

  // As a dry run first: an address or a key that is missing is no row's problem.
  void add(BatchClip clip) {
    RunSettings run = run_of(clip);
    run.dry_run = true;
    auto plan = plan_clip(clip.request, run);
    if (!plan) return add_problem(clip.line, plan.error().text);
    const auto identified = identify_request(plan->job, services_, false, nullptr);
    if (!identified) return add_problem(clip.line, identified.error().text);
    if (const auto files = check_chain(plan->job, *identified, services_, nullptr); !files)
      return add_problem(clip.line, files.error().text);
    PlannedClip planned;
    planned.key = identified->identity.digest();
    planned.is_paid = is_paid(plan->job, *identified, services_);
    planned.may_be_paid = !planned.is_paid && may_be_paid(plan->job, *identified, services_);
    planned.is_left_out = planned.may_be_paid && plan_.leaves_out;
    const ToPay paid = to_pay(plan->job, *identified, prices(plan->job.store), services_);
    planned.estimate = total_of(paid.estimates);
    if (!planned.is_paid && !planned.is_left_out) {
      const Budget &limits = clip_limits(plan->job.store);
      if (const auto refusal =
              chain_refusal(paid.estimates, plan->job.max_amount, Account(), limits, 0, UtcTime()))
        return add_problem(clip.line, refusal->text);
      for (size_t i = 0; i < paid.keys.size(); ++i) to_pay_.emplace(paid.keys[i], paid.estimates[i]);
      planned.links = paid.links;
    }
    planned.plan = std::move(*plan);
    planned.clip = std::move(clip);
    if (!set_output(planned)) return;
    const auto [first, is_new] = by_key_.emplace(planned.key, plan_.clips.size());
    if (!is_new) planned.same_as = first->second;
    plan_.clips.push_back(std::move(planned));
  }

  const PriceHistory &prices(const std::string &store) {
    if (!prices_) {
      Ledger ledger(*services_.files, *services_.clock, store);
      // What a store of an earlier version knows of prices is in its journals. A dry run writes nothing.
      const auto there = services_.files->info(store);
      if (!run_.dry_run && there && *there)
        static_cast<void>(begin_ledger(*services_.files, ledger, store, nullptr));
      const auto reading = ledger.read_condensed();
      prices_ = reading ? reading->account.prices() : PriceHistory();
    }
    return *prices_;
  }

  // Those limits of the store's budget that are about one clip.
  const Budget &clip_limits(const std::string &store) {
    if (!clip_limits_) {
      clip_limits_.emplace();
      const auto budget = Ledger(*services_.files, *services_.clock, store).budget();
      if (budget)
        clip_limits_ = budget->of_one_clip();
      else
        add_problem(0, budget.error().text);
    }
    return *clip_limits_;
  }

  // False: there is a problem, which was added.
  bool set_output(PlannedClip &planned) {
    const BatchClip &clip = planned.clip;
    const auto refuse = [&](std::string text) {
      add_problem(clip.line, std::move(text));
      return false;
    };
    if (clip.output.empty() && places_.output_dir.empty()) return true;
    planned.lacks_extension = clip.output.empty();
    if (planned.lacks_extension &&
        (clip.name.find('/') != clip.name.npos || clip.name.starts_with('.') || !is_all_shown(clip.name)))
      return refuse("The name " + quoted(clip.name) + " cannot be that of a file.");
    const auto path = planned.lacks_extension
                          ? Result<std::string>(clip.name)
                          : output_path(clip.output, output_names(clip.request, clip.name));
    if (!path) return refuse(path.error().text);
    planned.output = g_path_is_absolute(path->c_str()) ? *path : in_folder(places_.output_dir, *path);
    if (output_named(planned.output) == kStandardOutput)
      return refuse("A batch writes no clip to standard output.");
    if (!planned.lacks_extension && !places_.input.empty() && is_same_file(planned.output, places_.input))
      return refuse("The clip would overwrite the file of the rows, " + quoted(planned.output) + ".");
    if (const auto line = outputs_.add(planned.output, planned.lacks_extension, clip.line))
      return refuse("Line " + std::to_string(*line) + " writes the same file, " + quoted(planned.output) +
                    ".");
    const std::string name = planned.output + (planned.lacks_extension ? ".clip" : "");
    const auto spec = planned.lacks_extension ? nullptr : catalog_.find(planned.plan.job.model);
    auto fits = is_made_later(name) ? check_output_name(name, spec.get()) : check_output(name, spec.get());
    if (fits && !planned.lacks_extension && planned.plan.job.request)
      fits = check_replaces_no_reference(name, *planned.plan.job.request);
    return fits || refuse(fits.error().text);
  }

  // Its folder is not there yet, and is made before the run.
  bool is_made_later(const std::string &path) const {
    const GStringPtr folder(g_path_get_dirname(path.c_str()));
    return !places_.output_dir.empty() && !g_file_test(places_.output_dir.c_str(), G_FILE_TEST_EXISTS) &&
           is_same_file(folder.get(), places_.output_dir);
  }

  // With address and key.
  void plan_to_run() {
    for (PlannedClip &planned : plan_.clips) {
      auto plan = plan_clip(planned.clip.request, run_of(planned.clip));
      if (!plan) return add_problem(0, plan.error().text);
      planned.plan = std::move(*plan);
      // Its price is in no sum that somebody was told, or has agreed to.
      if (planned.is_paid || planned.is_left_out) planned.plan.job.may_submit = MaySubmit::never;
    }
  }

  void price_all() {
    std::vector<Estimate> known;
    for (const auto &[key, estimate] : to_pay_)
      if (estimate) known.push_back(*estimate);
    plan_.to_pay = to_pay_.size();
    plan_.unknown = to_pay_.size() - known.size();
    if (!known.empty()) plan_.total = sum_of(known);
  }

  const Catalog &catalog_;
  const RunSettings &run_;
  const BatchPlaces places_;
  const GenerationServices services_ = services_of_plan({});
  std::optional<PriceHistory> prices_;
  std::optional<Budget> clip_limits_;
  std::map<std::string, std::optional<Estimate>> to_pay_;  // By key.
  std::map<std::string, size_t> by_key_;                   // The first clip of each.
  BatchOutputs outputs_;
  BatchPlan plan_;
};

}  // namespace

BatchPlan plan_batch(const Catalog &catalog, const BatchRows &rows, const std::vector<BatchCell> &defaults,
                     const RunSettings &run, const BatchPlaces &places) {
  return BatchPlanner(catalog, run, places).plan(rows, defaults);
}

BatchPlan plan_clips(const Catalog &catalog, std::vector<BatchClip> clips, std::vector<BatchProblem> problems,
                     const RunSettings &run) {
  return BatchPlanner(catalog, run, {}).plan(std::move(clips), std::move(problems));
}

}  // namespace genclip
