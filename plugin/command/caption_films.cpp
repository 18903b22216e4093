// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A file is written only once all captions of its film are there, so a run that dies leaves none that is
// half. What was answered until then is in the store.
#include "plugin/command/caption_films.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "plugin/account/ledger.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/file_system.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/batch_view.h"
#include "plugin/command/caption_screen.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/console.h"
#include "plugin/command/special_file.h"
#include "plugin/command/stop_signals.h"
#include "plugin/core/run_ending.h"
#include "plugin/film/caption_pass.h"
#include "plugin/film/film_copy.h"
#include "plugin/film/film_place.h"
#include "plugin/film/subtitle_text.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr const char *kMapIsLost =
    "Its X-TIMESTAMP-MAP sets its cues at the times of an HLS stream, and SubRip cannot: beside that stream "
    "they may be early. --to vtt keeps it.";

Error captions_not_written(const std::string &path, const std::string &why,
                           ErrorKind kind = ErrorKind::open_write) {
  return {kind, "The captions cannot be written to " + path + ": " + why};
}

Result<void> replace_file(const std::string &path, const std::string &text) {
  GErrorPtr error;
  const auto how =
      static_cast<GFileSetContentsFlags>(G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE);
  if (g_file_set_contents_full(without_links(path).c_str(), text.data(), static_cast<gssize>(text.size()),
                               how, 0666, take(error)))
    return {};
  return captions_not_written(path, error->message, ErrorKind::write);
}

// Whether a copy of the film fits, which takes about as much as the film. True where that is not known.
Result<void> find_room(const FilmJob &job, const FilmPlace &place) {
  const GStringPtr film(g_filename_from_uri(job.uri.c_str(), nullptr, nullptr));
  GStatBuf status;
  if (!film || g_stat(film.get(), &status) < 0) return {};
  const auto size = static_cast<uint64_t>(status.st_size);
  const auto space = FileSystem::posix().free_space(folder_of(place.path()));
  if (!space || size <= *space) return {};
  const auto text = [](uint64_t bytes) { return GStringPtr(g_format_size(bytes)); };
  return captions_not_written(job.outputs.front().path,
                              std::string("A copy of the film takes about ") + text(size).get() + ", and " +
                                  text(*space).get() + " are free there.",
                              ErrorKind::no_space_left);
}

constexpr auto kLedgerPatience = std::chrono::seconds(1);

// What runs of captions hold of the limits of a day, by the ledger.
std::set<std::string> held_runs(const std::string &store) {
  std::set<std::string> runs;
  const auto reading = ledger_of(store).read_condensed();
  if (!reading) return runs;
  for (const auto &[run, block] : reading->account.caption_blocks()) runs.insert(run);
  return runs;
}

// A gencaption that has stopped gives back what it held on a thread of its own. If the process ended before,
// it would count as used until midnight.
void wait_until_given_back(const std::string &store, const std::set<std::string> &before) {
  const auto limit = Clock::system().now() + kLedgerPatience;
  const auto is_ours = [&](const std::string &run) { return !before.contains(run); };
  while (std::ranges::any_of(held_runs(store), is_ours) && Clock::system().now() < limit)
    Clock::system().sleep_until(Clock::system().now() + std::chrono::milliseconds(10), nullptr);
}

Json counts_json(const FilmProgress &progress) {
  Json json = Json::Object{{"requests", static_cast<int64_t>(progress.requests)},
                           {"cached", static_cast<int64_t>(progress.cached)},
                           {"captions", static_cast<int64_t>(progress.captions)},
                           {"skipped", static_cast<int64_t>(progress.skipped)},
                           {"unasked", static_cast<int64_t>(progress.unasked)},
                           {"tokens", static_cast<int64_t>(progress.tokens)}};
  json.set("windows", progress.estimate ? Json(static_cast<int64_t>(progress.estimate->windows)) : Json());
  return json;
}

class Films final : public FilmListener {
 public:
  Films(const std::vector<FilmJob> &jobs, const std::vector<std::string> &languages,
        const FilmCaptionOptions &options, const FilmsRun &run)
      : jobs_(jobs), languages_(languages), options_(options), run_(run), screen_(run.quiet) {
    totals_.films = jobs.size();
  }

  int run() {
    size_t next = 0;
    for (; next < jobs_.size() && !is_paused_ && !is_stopped(); ++next)
      if (are_clips_paused_ && is_clip_uri(jobs_[next].uri))
        leave(jobs_[next]);
      else
        take_on(jobs_[next], next + 1);
    for (; next < jobs_.size(); ++next) leave(jobs_[next]);
    screen_.clear();
    if (!run_.quiet || totals_.done + totals_.there < totals_.films) print_error(films_end_text(totals_));
    const bool is_pending = is_paused_ || are_clips_paused_;
    if ((is_pending || is_stopped()) && options_.keeps_answers()) print_error(kGoOnText);
    if (is_stopped()) return 128 + signals_.last();
    if (is_pending) return kPending;
    return totals_.failed > 0 ? kFailed : kOk;
  }

  void on_progress(const FilmProgress &progress) override { screen_.show(progress); }
  void on_cost(const std::string &task_id, double credits) override {
    totals_.credits += credits - std::exchange(paid_[task_id], credits);
  }
  // Each start of the film's gencaption warns of the same.
  void on_warning(const std::string &text) override {
    if (told_warnings_.insert(text).second) tell("Warning: " + current_ + ": " + text);
  }
  unsigned stops() const override { return signals_.count(); }
  void on_waiting(uint64_t answers, std::chrono::seconds patience) override {
    tell("Stopping: waiting at most " + std::to_string(patience.count()) + " s for " +
         std::to_string(answers) + (answers == 1 ? " answer that is" : " answers that are") +
         " paid for. Ctrl-C again stops at once.");
  }

 private:
  bool is_stopped() const { return stops() > 0; }

  // Of the film's clip.
  double credits() const {
    double sum = 0;
    for (const auto &[task_id, each] : paid_) sum += each;
    return sum;
  }

  // Of a film that needs nothing, whatever ends the run.
  bool skip_if_there(const FilmJob &job) {
    if (job.problem || !job.is_there) return false;
    ++totals_.there;
    tell_film(job, "skipped", {}, nullptr);
    return true;
  }

  // For another run.
  void leave(const FilmJob &job) {
    paid_.clear();
    if (!skip_if_there(job)) tell_film(job, is_stopped() ? "stopped" : "pending", {}, nullptr);
  }

  void take_on(FilmJob job, size_t number) {
    current_ = job.name;
    paid_.clear();
    told_warnings_.clear();
    auto places = take_places(job);
    if (!places) return fail(job, {}, places.error());
    for (const FilmOutput &output : job.outputs)
      if (output.stays) tell(is_asked_for(job) ? stays_text(output) : skips_text(output));
    if (skip_if_there(job)) return;
    if (const std::string spent = options_.spent_limit(used_); !spent.empty())
      return pause(job, {}, {ErrorKind::not_authorized, spent});
    auto gencaption = options_.make(used_, job.is_text);
    if (!gencaption) return fail(job, {}, gencaption.error());
    // Before anything is paid for: a film that is a clip is, by whatever reads it first.
    if (auto fits = try_settings(*gencaption, *this); !fits) return fail(job, {}, fits.error());
    screen_.begin(job.name, number, jobs_.size());
    // Before captions are paid for that the copy could not hold.
    if (is_container(job.format))
      if (auto tried = copy_film(copy_order(job, places->front(), true), {}, *this); !tried)
        return give_up(job, {}, tried.error());
    // Again, because the pace is that of the captions.
    screen_.begin(job.name, number, jobs_.size());
    const std::string store = store_root(options_.text_of("store"));
    const std::set<std::string> held_before = held_runs(store);
    FilmEnd end = run_caption_pass(source_of(job), *gencaption, *this);
    screen_.clear();
    gencaption = GRef<GstElement>();
    wait_until_given_back(store, held_before);
    used_.requests += end.progress.requests;
    used_.tokens += end.progress.tokens;
    used_.most_tokens = std::max(used_.most_tokens, end.progress.most_tokens);
    totals_.add(end.progress, end.how == FilmEnd::How::paused || end.how == FilmEnd::How::stopped);
    switch (end.how) {
      case FilmEnd::How::whole: return deliver(job, end, *places);
      case FilmEnd::How::paused: return pause(job, end.progress, end.error);
      case FilmEnd::How::failed: return give_up(job, end.progress, end.error);
      case FilmEnd::How::stopped: return tell_film(job, "stopped", end.progress, nullptr);
    }
  }

  // Until they are written, no other run pays for them. One may have written them since the plan was made.
  static Result<std::vector<FilmPlace>> take_places(FilmJob &job) {
    std::vector<FilmPlace> places;
    if (job.problem) return *job.problem;
    if (job.is_there) return places;
    const bool is_copy = is_container(job.format);
    for (const FilmOutput &output : job.outputs) {
      if (output.stays) continue;
      if (auto tried = try_to_write(output.path, is_copy); !tried) return tried.error();
      if (output.path == kStandardOutput || is_special(output.path)) continue;
      auto place = FilmPlace::take(output.path, is_copy ? FilmPlace::Kind::copy : FilmPlace::Kind::text);
      if (!place) return std::move(place).error();
      if (is_copy)
        if (auto room = find_room(job, *place); !room) return room.error();
      places.push_back(*std::move(place));
    }
    look_for_outputs(job);
    if (job.problem) return *job.problem;
    return places;
  }

  // Its languages that stay are, too.
  bool is_asked_for(const FilmJob &job) const { return !job.is_there && options_.sends_context(); }

  // The languages of what is to be written. Captions that are sent along are part of later questions, and in
  // the first language: a film that goes on must find the answers of the run before.
  std::vector<std::string> languages_of(const FilmJob &job) const {
    std::vector<std::string> languages;
    for (const FilmOutput &output : job.outputs)
      if (!output.stays && !output.language.empty()) languages.push_back(output.language);
    return languages.empty() || options_.sends_context() ? languages_ : languages;
  }

  PassSource source_of(const FilmJob &job) const {
    return {job.uri, job.is_text, languages_of(job), options_.source_settings()};
  }

  CopyOrder copy_order(const FilmJob &job, const FilmPlace &place, bool is_trial) const {
    CopyOrder order{job.uri, job.format, place.part()};
    order.source = options_.source_settings();
    order.is_trial = is_trial;
    return order;
  }

  Result<void> copy(const FilmJob &job, const FilmEnd &end, FilmPlace &place) {
    auto copied = copy_film(copy_order(job, place, false), end.tracks, *this);
    return copied ? place.publish() : copied;
  }

  void deliver(const FilmJob &job, const FilmEnd &end, std::vector<FilmPlace> &places) {
    if (ends_early(end.progress))
      warn_of_early_end(end.progress);
    else
      screen_.finish(end.progress);
    if (is_container(job.format))
      if (auto copied = copy(job, end, places.front()); !copied)
        return give_up(job, end.progress, copied.error());
    for (const FilmOutput &output : job.outputs)
      if (!is_container(job.format) && !output.stays)
        if (auto written = write(job, end, output); !written)
          return give_up(job, end.progress, written.error());
    ++totals_.done;
    tell_film(job, "completed", end.progress, nullptr);
    if (run_.json) return;
    for (const FilmOutput &output : job.outputs)
      if (output.path != kStandardOutput && !output.stays) print_path(output.path);
  }

  Result<void> write(const FilmJob &job, const FilmEnd &end, const FilmOutput &output) {
    const std::vector<FilmCue> &cues =
        std::ranges::find(end.tracks, output.language, &FilmTrack::language)->cues;
    const bool is_vtt = job.format == FilmFormat::vtt;
    if (!is_vtt && !end.timestamp_map.empty()) on_warning(kMapIsLost);
    return write_text(output.path, is_vtt ? vtt_text(cues, end.timestamp_map) : srt_text(cues));
  }

  // A FIFO or a device is written to; a file is replaced.
  Result<void> write_text(const std::string &path, const std::string &text) {
    const bool is_output = path == kStandardOutput;
    if (!is_output && !is_special(path)) return replace_file(path, text);
    const auto tell_waiting = [&] {
      tell("Waiting for a reader of " + (is_output ? "standard output" : path) + ". Ctrl-C ends the run.");
    };
    const auto is_over = [this] {
      // The signals are counted in the main context, which nobody else runs now.
      while (g_main_context_pending(nullptr)) g_main_context_iteration(nullptr, FALSE);
      return is_stopped();
    };
    return is_output ? write_standard_output(text, tell_waiting, is_over)
                     : write_special(path, text, tell_waiting, is_over);
  }

  // A file that was cut off decodes without an error.
  bool ends_early(const FilmProgress &progress) const {
    const auto slack = std::chrono::nanoseconds(2 * options_.interval_ns());
    return progress.length && progress.done + slack < *progress.length;
  }

  void warn_of_early_end(const FilmProgress &progress) {
    const auto text = [](std::chrono::nanoseconds time) {
      return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
    };
    on_warning("Its picture ends at " + text(progress.done) + ", though it says that it lasts " +
               text(*progress.length) + ". It may be cut off.");
  }

  void pause(const FilmJob &job, const FilmProgress &progress, const Error &error) {
    is_paused_ = true;
    tell_pending(job, progress, error);
  }

  void tell_pending(const FilmJob &job, const FilmProgress &progress, const Error &error) {
    tell(job.word + ": " + error.text + " No file is written for it yet" +
         (options_.keeps_answers() && !progress.has_unkept ? "; the store keeps the answers so far." : "."));
    tell_film(job, "pending", progress, &error);
  }

  void give_up(const FilmJob &job, const FilmProgress &progress, const Error &error) {
    screen_.clear();
    if (error.kind == ErrorKind::cancelled) return tell_film(job, "stopped", progress, nullptr);
    // Of the clip that is the film, which other films do not need; the budget of captions pauses the pass
    // itself.
    if (is_spent_budget(error)) {
      are_clips_paused_ = true;
      return tell_pending(job, progress, error);
    }
    fail(job, progress, error);
  }

  void fail(const FilmJob &job, const FilmProgress &progress, const Error &error) {
    ++totals_.failed;
    tell(job.word + " failed: " + error.text);
    tell_film(job, "failed", progress, &error);
  }

  void tell(const std::string &text) {
    screen_.clear();
    print_error(printable(text));
  }

  void tell_film(const FilmJob &job, std::string_view status, const FilmProgress &progress,
                 const Error *error) {
    if (!run_.json) return;
    Json json = film_json(job, status);
    const Json counts = counts_json(progress);
    for (const auto &[name, value] : *counts.object()) json.set(name, value);
    if (is_clip_uri(job.uri)) json.set("credits", credits());
    if (error) json.set("error", error->text);
    print_json_line(json);
  }

  const std::vector<FilmJob> &jobs_;
  const std::vector<std::string> &languages_;
  const FilmCaptionOptions &options_;
  const FilmsRun run_;
  const StopSignals signals_;
  CaptionScreen screen_;
  FilmTotals totals_;
  std::map<std::string, double> paid_;  // Credits of the film's tasks.
  UsedLimits used_;
  std::string current_;                  // The name of the film.
  std::set<std::string> told_warnings_;  // Of the film.
  bool is_paused_ = false;
  bool are_clips_paused_ = false;  // The films that are clips.
};

}  // namespace

Result<void> try_to_write(const std::string &path, bool is_copy) {
  if (path == kStandardOutput) return {};
  const auto problem = [&path](const char *why) { return captions_not_written(path, why); };
  if (g_file_test(path.c_str(), G_FILE_TEST_IS_DIR)) return problem("It is a folder.");
  if (is_special(path) && is_copy)
    return problem("It is not a regular file, which a copy of the film needs.");
  if (is_socket(path)) return problem("It is a socket.");
  if (is_special(path))
    return g_access(path.c_str(), W_OK) == 0 ? Result<void>() : problem(g_strerror(errno));
  std::string temporary = without_links(path) + ".XXXXXX";
  const int file = g_mkstemp(temporary.data());
  if (file < 0) return problem(g_strerror(errno));
  g_close(file, nullptr);
  g_unlink(temporary.c_str());
  return {};
}

Json film_json(const FilmJob &job, std::string_view status) {
  Json::Array outputs;
  for (const FilmOutput &output : job.outputs) {
    Json one = Json::Object{{"path", output.path}};
    if (!output.language.empty()) one.set("language", output.language);
    if (output.stays) one.set("stays", true);
    outputs.push_back(std::move(one));
  }
  return Json::Object{{"film", job.word}, {"status", std::string(status)}, {"outputs", std::move(outputs)}};
}

int caption_films(const std::vector<FilmJob> &jobs, const std::vector<std::string> &languages,
                  const FilmCaptionOptions &options, const FilmsRun &run) {
  return Films(jobs, languages, options, run).run();
}

}  // namespace genclip
