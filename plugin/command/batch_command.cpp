// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip batch: many clips, unattended.
#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <set>

#include "plugin/command/account_reading.h"
#include "plugin/command/batch_plan.h"
#include "plugin/command/batch_screen.h"
#include "plugin/command/batch_view.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/clip_runs.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/ending_json.h"
#include "plugin/command/input_file.h"
#include "plugin/command/known_models.h"
#include "plugin/command/paid_sum.h"
#include "plugin/command/request_report.h"
#include "plugin/command/request_words.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/text_table.h"
#include "plugin/core/run_ending.h"
#include "plugin/generation/paid_amount.h"

namespace genclip {
namespace {

constexpr CommandText kBatchText{
    "batch", "FILE [MODEL] [FIELD=VALUE…]",
    "Generates a clip for each row of a file, some at once, and needs nobody to\n"
    "watch. All rows are validated and priced before the first is paid.\n"
    "To resume, run the same command again: what is stored is not paid for again.",
    "FILE is JSON Lines (.jsonl), CSV (.csv) whose first line names the columns, or\n"
    "text (.txt) with a prompt a line; - is standard input, which needs --format.\n"
    "Columns are the fields of genclip check, and model, take, name, project and\n"
    "output: a file, or a pattern such as {name}-{take}.mp4 (also {model} and\n"
    "{date}). The words behind FILE are for all rows that do not say it themselves.\n\n"
    "The clips are in the store; --output-dir also writes them to files, at no cost.\n"
    "Standard output gets JSON Lines, one for each row, in the order in which they\n"
    "end; a terminal gets none. When the service refuses for now (429, 503), all rows\n"
    "wait, and fewer are made at once. A spent budget or quota ends the run; the rows\n"
    "that are left stay pending.\n\n"
    "Exit code: 0 all clips are there, 1 some failed, 2 usage error, 75 rows are\n"
    "pending because the budget or the quota is spent, or because the service keeps\n"
    "refusing: run again later, 130 stopped by Ctrl-C.\n\n"
    "Examples:\n"
    "  genclip batch prompts.txt sd_2.0_special duration=5 --dry-run\n"
    "  genclip batch storyboard.csv --jobs 8 --output-dir clips\n"};

void print_row(const PlannedClip &planned, const Json &content) {
  if (is_terminal(stdout)) return;
  Json json = Json::Object{{"line", planned.clip.line}, {"name", planned.clip.name}};
  for (const auto &[name, value] : *content.object()) json.set(name, value);
  print_json_line(json);
}

// Where the clip is to go, if the extension is known.
Json with_output(Json json, const PlannedClip &planned) {
  if (!planned.output.empty() && !planned.lacks_extension) json.set("output", planned.output);
  return json;
}

// What a row of which nothing failed says of its request.
Json with_request(Json json, const PlannedClip &planned) {
  json.set("model", planned.plan.job.model);
  json.set("prompt", prompt_of(planned.clip.request));
  json.set("take", planned.clip.request.take);
  return json;
}

std::vector<std::string> texts_of(const std::vector<unsigned> &lines) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const unsigned line : lines) texts.push_back(std::to_string(line));
  return texts;
}

std::string doubt_of_lines(const std::vector<unsigned> &lines, bool are_left_out) {
  return doubt_text(texts_of(lines), are_left_out, "line");
}

std::string place_of(const std::string &file, const PlannedClip &planned) {
  return file + ":" + std::to_string(planned.clip.line) + ": " + planned.clip.name;
}

// "prompts.csv:7: ", or "prompts.csv: lines 7, 9, 12: "
std::string place_of(const std::string &file, const std::vector<unsigned> &lines) {
  if (lines.size() == 1) return lines[0] == 0 ? "" : file + ":" + std::to_string(lines[0]) + ": ";
  return file + ": lines " + places_text(texts_of(lines)) + ": ";
}

void tell_warnings(const std::string &file, const BatchPlan &plan) {
  for (const SameProblem &warning : same_problems(warnings_of(plan)))
    print_error(printable("Warning: " + place_of(file, warning.lines) + warning.text));
}

void tell_plan(const BatchPlan &plan) {
  TextTable table({{"LINE", TextTable::Align::right},
                   {"NAME"},
                   {"STATE"},
                   {"COST", TextTable::Align::right},
                   {"MODEL"},
                   {"PROMPT"}});
  for (const PlannedClip &planned : plan.clips) {
    const bool is_to_pay = !planned.same_as && !planned.is_paid && !planned.is_left_out;
    table.add({std::to_string(planned.clip.line), printable(planned.clip.name), plan_state_text(planned),
               plan_cost_text(planned), planned.plan.job.model, printable(prompt_of(planned.clip.request))});
    Json json = Json::Object{{"status", "planned"}, {"state", plan_state_text(planned)}};
    json.set("estimate", is_to_pay ? estimate_json(planned.estimate) : Json());
    print_row(planned, with_output(with_request(std::move(json), planned), planned));
  }
  fputs(table.to_text(stderr).c_str(), stderr);
  print_note("\nTo pay: " + plan_total_text(plan));
  if (const std::string hint = address_hint(plan); !hint.empty()) print_note(hint);
  std::vector<unsigned> in_doubt;
  for (const PlannedClip &planned : plan.clips)
    if (planned.may_be_paid) in_doubt.push_back(planned.clip.line);
  if (!in_doubt.empty()) print_error(doubt_of_lines(in_doubt, plan.leaves_out));
  if (is_terminal(stdout)) return;
  print_json_line(Json::Object{{"status", "total"},
                               {"rows", static_cast<int64_t>(plan.clips.size())},
                               {"to_pay", static_cast<int64_t>(plan.to_pay)},
                               {"unknown", static_cast<int64_t>(plan.unknown)},
                               {"estimate", estimate_json(plan.total)}});
}

constexpr char kFilesText[] =
    "To have them as files, too, run the same command with --output-dir FOLDER: what is stored costs "
    "nothing.";

// Takes what becomes of the clips to the files, to standard output and to the screen.
class BatchDelivery final : public ClipRunsListener {
 public:
  BatchDelivery(std::string file, const BatchPlan &plan, unsigned jobs, bool quiet)
      : file_(std::move(file)), clips_(plan.clips), leaves_out_(plan.leaves_out), screen_(quiet) {
    totals_.rows = clips_.size();
    totals_.jobs = jobs;
    for (size_t i = 0; i < clips_.size(); ++i) {
      if (clips_[i].same_as) continue;
      runs_.push_back(i);
    }
    for (size_t i = 0; i < clips_.size(); ++i) rows_of_[clips_[i].same_as.value_or(i)].push_back(i);
  }

  // What to run: each request once.
  std::vector<ClipToRun> to_run() const {
    std::vector<ClipToRun> clips;
    for (const size_t row : runs_)
      clips.push_back({clips_[row].plan, clips_[row].key, clips_[row].links, clips_[row].is_paid});
    return clips;
  }

  void on_change(size_t index, const GenerationState &state) override {
    last_[index] = state;
    const PlannedClip &planned = clips_[runs_[index]];
    if (state.status == ClipStatus::idle) {
      if (state.charged) has_paid_links_.insert(index);
      last_[index].charged = false;
      count_paid(index, last_[index]);
      screen_.remove(index);
    } else {
      screen_.show(index, planned.clip.name, prompt_of(planned.clip.request), state);
    }
    screen_.update(totals_);
  }

  void on_warning(size_t index, const std::string &text) override {
    tell("Warning: " + place_of(file_, clips_[runs_[index]]) + ": " + text);
  }

  void on_refused(size_t index, const std::string &text) override {
    tell(place_of(file_, clips_[runs_[index]]) + ": " + text);
  }

  void on_notice(const std::string &text) override { tell(text); }
  void on_jobs(unsigned jobs) override { totals_.jobs = jobs; }
  void on_second() override { screen_.update(totals_); }

  void on_end(size_t index, const ClipEnd &end) override {
    const double seconds = screen_.remove(index);
    const GenerationState &state = end.state;
    if (!end.error && !state.reused) {
      totals_.made_seconds += seconds;
      ++totals_.made;
    }
    count_paid(index, state, end.error);
    // The others with the same request have paid nothing.
    GenerationState told = as_paid(index, state);
    const std::optional<Error> failed = end.error ? std::optional(with_paid(*end.error, told)) : std::nullopt;
    for (const size_t row : rows_of_[runs_[index]]) {
      if (failed)
        fail(clips_[row], *failed, row != runs_[index]);
      else
        deliver(clips_[row], end, told);
      told.reused = true;
      told.charged = false;
      told.links_amount = 0;
    }
    screen_.update(totals_);
  }

  // The rows that have not ended. Returns the exit code.
  int finish(const ClipRunsEnd &end) {
    screen_.clear();
    for (const size_t index : end.stopped) paid_of_[index] += paid_.count_left(last_[index]);
    for (const size_t index : end.stopped) tell_left(index, "stopped");
    for (const size_t index : end.pending) tell_left(index, "pending");
    totals_.gone = gone_from_store(in_store_);
    print_error(end_text(totals_, place_text()) + " " + paid_.to_text());
    if (totals_.done > 0 && totals_.gone == 0 && !has_outputs()) print_error(kFilesText);
    const auto resets = end.pause ? reset_of(*end.pause) : std::nullopt;
    if (const std::string text = go_on_text(totals_, resets); !text.empty()) print_error(text);
    std::sort(in_doubt_.begin(), in_doubt_.end());
    if (!in_doubt_.empty()) print_error(doubt_of_lines(in_doubt_, leaves_out_));
    return exit_code_of(end, totals_.failed);
  }

 private:
  bool has_outputs() const {
    return std::any_of(clips_.begin(), clips_.end(),
                       [](const PlannedClip &planned) { return !planned.output.empty(); });
  }

  // What the clips are that are done: one who has named no place is told where to look.
  std::string place_text() const {
    if (has_outputs() || clips_.empty()) return "there";
    return "in the store " + printable(clips_.front().plan.job.store);
  }

  void count_paid(size_t index, const GenerationState &state, const std::optional<Error> &error = {}) {
    paid_of_[index] += paid_.count_end(state, error);
    totals_.spent = paid_.credits();
  }

  // With what the row has paid for the clips before its own, in all of its tries. What several rows begin
  // with is told of the first of them.
  GenerationState as_paid(size_t index, GenerationState state) const {
    state.links_amount = 0;
    const auto paid = paid_of_.find(index);
    if (paid != paid_of_.end()) state.links_amount = std::max(0.0, paid->second - paid_amount(state));
    return state;
  }

  void tell(const std::string &text) {
    screen_.clear();
    print_error(printable(text));
    screen_.update(totals_);
  }

  // `is_same`: an earlier row has the same request, and tells of the same failure.
  void fail(const PlannedClip &planned, const Error &error, bool is_same = false) {
    ++totals_.failed;
    if (has_failed_at_a_cost(error)) ++totals_.failed_at_a_cost;
    if (may_be_paid(error)) in_doubt_.push_back(planned.clip.line);
    Json json = failure_json(error, planned.clip.request);
    if (is_same) json.set("reused", true);
    print_row(planned, json);
    tell(place_of(file_, planned) + " failed: " + error.text);
    screen_.clear();
    print_request(request_line(planned.clip.request));
    screen_.update(totals_);
  }

  // `state`: that of the end, as the row tells it.
  void deliver(const PlannedClip &planned, const ClipEnd &end, const GenerationState &state) {
    const std::string output = output_of(planned, end.state.clip_location);
    if (!output.empty())
      if (auto written = write_output(end.generation->clip(), output); !written)
        return fail(planned, not_written(std::move(written).error(), state));
    if (output.empty()) in_store_.push_back(end.state.clip_location);
    if (const std::string other = other_content(output, end.state.clip_location); !other.empty())
      tell("Warning: " + place_of(file_, planned) + ": " + other);
    ++totals_.done;
    Json json = with_request(state_json(state, "completed"), planned);
    json.set("clip", state.clip_location);
    if (!output.empty()) json.set("output", output);
    print_row(planned, json);
  }

  static std::string output_of(const PlannedClip &planned, const std::string &clip) {
    if (!planned.lacks_extension) return planned.output;
    const size_t dot = clip.rfind('.');
    return planned.output + (dot == clip.npos ? "" : clip.substr(dot));
  }

  void tell_left(size_t index, std::string_view status) {
    GenerationState told = as_paid(index, last_[index]);
    for (const size_t row : rows_of_[runs_[index]]) {
      const PlannedClip &planned = clips_[row];
      if (last_[index].is_submitting()) in_doubt_.push_back(planned.clip.line);
      Json json = with_output(with_request(state_json(told, status), planned), planned);
      if (status == "pending") json.set("outcome", "pending");
      if (has_paid_links_.contains(index)) json.set("charged", to_word(Charged::yes));
      print_row(planned, json);
      told.links_amount = 0;
      told.reused = true;
    }
  }

  const std::string file_;
  const std::vector<PlannedClip> &clips_;
  const bool leaves_out_;
  std::vector<size_t> runs_;                       // The row of each clip that is run.
  std::map<size_t, std::vector<size_t>> rows_of_;  // By the first row: all that want its clip.
  std::map<size_t, GenerationState> last_;
  std::vector<unsigned> in_doubt_;     // Lines.
  std::vector<std::string> in_store_;  // Paths of the clips that are done and have no other place.
  PaidSum paid_;
  std::map<size_t, double> paid_of_;  // Credits, by the index of the run.
  std::set<size_t> has_paid_links_;   // Runs whose clip was refused after clips before it had been paid.
  BatchScreen screen_;
  BatchTotals totals_;
};

int tell_problems(const std::string &file, const std::vector<BatchProblem> &problems) {
  for (const SameProblem &problem : same_problems(problems))
    print_error(printable(place_of(file, problem.lines) + problem.text));
  print_error("Nothing was submitted.");
  return kFailed;
}

}  // namespace

int run_batch(const Words &words) {
  RunSettings run;
  GovernorSettings governor;
  BatchFormat format = BatchFormat::automatic;
  std::string output_dir;
  bool quiet = false;
  CommandOptions options(kBatchText);
  add_setting(options, "format", format);
  add_setting(options, "jobs", governor.jobs, 1);
  add_setting(options, "output-dir", output_dir);
  add_setting(options, "fail-fast", governor.fail_fast);
  add_setting(options, "quiet", quiet);
  add_settings(options, run, kBatch);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->empty()) return options.refuse("A file is missing; - is standard input.");
  const std::string &path = rest->front();
  if (format == BatchFormat::automatic) format = batch_format_of(path);
  if (format == BatchFormat::automatic)
    return options.refuse("What " + printable(path) +
                          " contains is unknown. Say it with --format: jsonl, csv or text.");
  const auto defaults = read_batch_defaults({rest->begin() + 1, rest->end()});
  if (!defaults) return options.refuse(defaults.error());
  const auto text = read_input(path);
  if (!text) return report_failure(text.error(), false);

  const Catalog::Ptr catalog = known_models();
  const std::string file = path == kStandardOutput ? "standard input" : path;
  const BatchRows rows = read_batch_rows(*text, format);
  // Files and clips are checked with it.
  gst_init(nullptr, nullptr);
  const BatchPlan plan =
      plan_batch(*catalog, rows, *defaults, run, {path == kStandardOutput ? "/dev/stdin" : path, output_dir});
  if (!plan.problems.empty()) return tell_problems(file, plan.problems);
  tell_warnings(file, plan);
  if (run.dry_run) {
    tell_plan(plan);
    return kOk;
  }
  if (!output_dir.empty() && g_mkdir_with_parents(output_dir.c_str(), 0777) != 0)
    return report_failure(
        {ErrorKind::open_write, "The folder " + output_dir + " cannot be made: " + g_strerror(errno)}, false);
  if (!quiet) print_error("To pay: " + plan_total_text(plan));
  BatchDelivery delivery(file, plan, governor.jobs, quiet);
  const ClipRunsEnd end = run_clips(delivery.to_run(), governor, delivery);
  const int exit_code = delivery.finish(end);
  fflush(nullptr);
  // The user has waited, or does not want to wait; the intent is in the journal.
  if (end.amid_submit) _exit(exit_code);
  return exit_code;
}

}  // namespace genclip
