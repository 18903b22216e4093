// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip prefetch: generates every clip that a project, a playlist, a rundown or a script names, before it
// is opened.
#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "plugin/base/shown_text.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/command/batch_plan.h"
#include "plugin/command/batch_screen.h"
#include "plugin/command/batch_view.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/clip_runs.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/ending_json.h"
#include "plugin/command/found_clips.h"
#include "plugin/command/input_file.h"
#include "plugin/command/known_models.h"
#include "plugin/command/paid_sum.h"
#include "plugin/command/request_words.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/text_table.h"
#include "plugin/generation/paid_amount.h"

namespace genclip {
namespace {

constexpr CommandText kPrefetchText{
    "prefetch", "FILE…",
    "Generates every clip that the files name by a genclip:// URI, some at once, so\n"
    "that an editor or a player opens them without waiting.",
    "FILE is a project (.xges), a playlist (.m3u, .m3u8), a rundown, a script or any\n"
    "other text; - is standard input. A URI that is escaped for ges-launch-1.0 counts\n"
    "too.\n\n"
    "It lists the clips with what is to pay, and asks. Without a terminal it needs\n"
    "--yes. Nothing is generated while a URI is invalid, or cannot be read for\n"
    "certain. Prints the path of each clip.\n"
    "To resume, run the same command again: what is stored is not paid for again.\n\n"
    "Exit code: 0 all clips are stored, 1 some are not, 2 usage error, 75 clips are\n"
    "pending because the budget or the quota is spent, or because the service keeps\n"
    "refusing: run again later, 130 stopped by Ctrl-C.\n\n"
    "Examples:\n"
    "  genclip prefetch film.xges && ges-launch-1.0 -l film.xges\n"
    "  genclip prefetch --yes --jobs 8 --quiet evening.m3u8\n"};

constexpr size_t kPromptWidth = 60;

// The clips of all files, as a batch's rows whose line is their number among them.
struct WantedClips {
  std::vector<BatchClip> clips;
  std::vector<BatchProblem> problems;
  std::vector<std::string> places;  // By number: "film.xges:12"; 0: none.
};

void add_clips(const Catalog &catalog, const std::string &path, const std::string &text,
               WantedClips &wanted) {
  for (const FoundClip &found : found_clips(text)) {
    BatchClip clip;
    clip.line = static_cast<unsigned>(wanted.places.size());
    clip.name = (path == kStandardOutput ? "standard input" : path) + ":" + std::to_string(found.line);
    wanted.places.push_back(clip.name);
    if (!found.problem.empty()) {
      wanted.problems.push_back({clip.line, found.problem});
      continue;
    }
    auto request = parse_clip_uri(catalog, found.uri);
    if (!request) {
      wanted.problems.push_back({clip.line, request.error().text});
      continue;
    }
    clip.request = std::move(*request);
    wanted.clips.push_back(std::move(clip));
  }
}

void list_clips(const BatchPlan &plan, FILE *stream) {
  TextTable table({{"CLIP"}, {"STATE"}, {"COST", TextTable::Align::right}, {"MODEL"}, {"PROMPT"}});
  for (const PlannedClip &planned : plan.clips) {
    if (planned.same_as) continue;
    table.add({printable(planned.clip.name), plan_state_text(planned), plan_cost_text(planned),
               printable(planned.plan.job.model), shown_line(prompt_of(planned.clip.request), kPromptWidth)});
  }
  fputs(table.to_text(stream).c_str(), stream);
}

// "film.xges:12, film.xges:20: "
std::string place_of(const std::vector<unsigned> &clips, const std::vector<std::string> &places) {
  std::vector<std::string> named;
  for (const unsigned clip : clips)
    if (clip != 0) named.push_back(places[clip]);
  return named.empty() ? "" : places_text(named) + ": ";
}

void tell_warnings(const BatchPlan &plan, const std::vector<std::string> &places) {
  for (const SameProblem &warning : same_problems(warnings_of(plan)))
    print_error(printable("Warning: " + place_of(warning.lines, places) + warning.text));
}

// What a person is told before the question.
void tell_price(const BatchPlan &plan) {
  print_note("To pay: " + plan_total_text(plan));
  std::vector<std::string> in_doubt;
  for (const PlannedClip &planned : plan.clips)
    if (planned.may_be_paid && !planned.same_as) in_doubt.push_back(planned.clip.name);
  if (!in_doubt.empty()) print_error(doubt_text(in_doubt, plan.leaves_out));
}

bool is_agreed() {
  fputs("Generate them? [y/N] ", stderr);
  char answer[16] = "";
  return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

// "film.xges:12" of "/home/ada/film.xges:12": a line of the screen is short.
std::string short_place(const std::string &place) { return place.substr(place.rfind('/') + 1); }

// Shows the clips on their way, and prints the path of each that is there.
class PrefetchDelivery final : public ClipRunsListener {
 public:
  PrefetchDelivery(const BatchPlan &plan, unsigned jobs, bool quiet)
      : leaves_out_(plan.leaves_out), screen_(quiet) {
    for (const PlannedClip &planned : plan.clips)
      if (!planned.same_as) clips_.push_back(&planned);
    totals_.rows = clips_.size();
    totals_.jobs = jobs;
  }

  std::vector<ClipToRun> to_run() const {
    std::vector<ClipToRun> runs;
    for (const PlannedClip *clip : clips_)
      runs.push_back({clip->plan, clip->key, clip->links, clip->is_paid});
    return runs;
  }

  void on_change(size_t index, const GenerationState &state) override {
    last_[index] = state;
    if (state.status == ClipStatus::idle) {
      last_[index].charged = false;
      count_paid(last_[index]);
      screen_.remove(index);
    } else {
      screen_.show(index, short_place(clips_[index]->clip.name), prompt_of(clips_[index]->clip.request),
                   state);
    }
    screen_.update(totals_);
  }

  void on_warning(size_t index, const std::string &text) override {
    tell("Warning: " + clips_[index]->clip.name + ": " + text);
  }

  void on_refused(size_t index, const std::string &text) override {
    tell(clips_[index]->clip.name + ": " + text);
  }

  void on_notice(const std::string &text) override { tell(text); }
  void on_jobs(unsigned jobs) override { totals_.jobs = jobs; }
  void on_second() override { screen_.update(totals_); }

  void on_end(size_t index, const ClipEnd &end) override {
    const double seconds = screen_.remove(index);
    const GenerationState &state = end.state;
    count_paid(state, end.error);
    if (end.error) {
      ++totals_.failed;
      if (has_failed_at_a_cost(*end.error)) ++totals_.failed_at_a_cost;
      if (may_be_paid(*end.error)) in_doubt_.insert(index);
      return tell(clips_[index]->clip.name + " failed: " + with_paid(*end.error, state).text);
    }
    ++totals_.done;
    in_store_.push_back(state.clip_location);
    if (!state.reused) {
      totals_.made_seconds += seconds;
      ++totals_.made;
    }
    screen_.clear();
    print_path(state.clip_location);
    screen_.update(totals_);
  }

  // Returns the exit code.
  int finish(const ClipRunsEnd &end) {
    screen_.clear();
    for (const size_t index : end.stopped) paid_.count_left(last_[index]);
    totals_.gone = gone_from_store(in_store_);
    print_error(end_text(totals_, "stored") + " " + paid_.to_text());
    const auto resets = end.pause ? reset_of(*end.pause) : std::nullopt;
    if (const std::string text = go_on_text(totals_, resets); !text.empty()) print_error(text);
    for (const std::vector<size_t> *unfinished : {&end.stopped, &end.pending})
      for (const size_t index : *unfinished)
        if (last_[index].is_submitting()) in_doubt_.insert(index);
    std::vector<std::string> places;
    for (const size_t index : in_doubt_) places.push_back(clips_[index]->clip.name);
    if (!places.empty()) print_error(doubt_text(places, leaves_out_));
    return exit_code_of(end, totals_.failed);
  }

 private:
  void count_paid(const GenerationState &state, const std::optional<Error> &error = {}) {
    paid_.count_end(state, error);
    totals_.spent = paid_.credits();
  }

  void tell(const std::string &text) {
    screen_.clear();
    print_error(printable(text));
    screen_.update(totals_);
  }

  const bool leaves_out_;
  std::vector<const PlannedClip *> clips_;
  std::map<size_t, GenerationState> last_;
  std::set<size_t> in_doubt_;
  std::vector<std::string> in_store_;  // Paths.
  PaidSum paid_;
  BatchScreen screen_;
  BatchTotals totals_;
};

int tell_invalid(const std::vector<BatchProblem> &problems, const std::vector<std::string> &places) {
  for (const SameProblem &problem : same_problems(problems))
    print_error(printable(place_of(problem.lines, places) + problem.text));
  print_error("Nothing was submitted.");
  return kFailed;
}

}  // namespace

int run_prefetch(const Words &words) {
  RunSettings run;
  GovernorSettings governor;
  bool yes = false, quiet = false;
  CommandOptions options(kPrefetchText);
  add_setting(options, "yes", yes);
  add_setting(options, "jobs", governor.jobs, 1);
  add_setting(options, "quiet", quiet);
  add_settings(options, run, kPrefetch);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->empty()) return options.refuse("A file is missing; - is standard input.");
  const bool reads_input = std::find(rest->begin(), rest->end(), kStandardOutput) != rest->end();
  if (!yes && !run.dry_run && (reads_input || !is_terminal(stdin)))
    return options.refuse(
        "It cannot ask, because standard input is no terminal. --yes says that it may pay.");

  const Catalog::Ptr catalog = known_models();
  WantedClips wanted;
  wanted.places.emplace_back();
  for (const std::string &path : *rest) {
    const auto text = read_input(path);
    if (!text) return report_failure(text.error(), false);
    add_clips(*catalog, path, *text, wanted);
  }
  // Files and clips are checked with it.
  gst_init(nullptr, nullptr);
  const BatchPlan plan = plan_clips(*catalog, std::move(wanted.clips), std::move(wanted.problems), run);
  if (!plan.problems.empty()) return tell_invalid(plan.problems, wanted.places);
  if (plan.clips.empty()) {
    print_error("No genclip:// URI was found.");
    return kOk;
  }
  if (run.dry_run) {
    list_clips(plan, stdout);
    tell_warnings(plan, wanted.places);
    tell_price(plan);
    if (const std::string hint = address_hint(plan); !hint.empty()) print_note(hint);
    return kOk;
  }
  if (!quiet) list_clips(plan, stderr);
  tell_warnings(plan, wanted.places);
  if (!quiet || !yes) tell_price(plan);
  if (plan.to_pay > 0 && !yes && !is_agreed()) {
    print_error("Nothing was submitted.");
    return kFailed;
  }
  PrefetchDelivery delivery(plan, governor.jobs, quiet);
  const ClipRunsEnd end = run_clips(delivery.to_run(), governor, delivery);
  const int exit_code = delivery.finish(end);
  fflush(nullptr);
  // The user has waited, or does not want to wait; the intent is in the journal.
  if (end.amid_submit) _exit(exit_code);
  return exit_code;
}

}  // namespace genclip
