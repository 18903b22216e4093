// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/caption_view.h"

#include <algorithm>
#include <cmath>

#include "plugin/base/number.h"
#include "plugin/command/amounts.h"
#include "plugin/command/bar.h"
#include "plugin/command/console.h"
#include "plugin/command/text_table.h"
#include "plugin/store/clip_cost.h"

namespace genclip {
namespace {

constexpr size_t kWidestFilm = 24;
constexpr double kRemembered_s = 60;
constexpr double kLeastTime_s = 2;
constexpr int64_t kLeastLeft_s = 2;
constexpr double kUnknownStep_s = 300;

double seconds_of(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// 0 to 1; nothing: the length is unknown.
std::optional<double> part_of(const FilmProgress &progress) {
  if (!progress.length || progress.length->count() <= 0) return std::nullopt;
  return std::clamp(seconds_of(progress.done) / seconds_of(*progress.length), 0.0, 1.0);
}

std::string percent_of(const FilmProgress &progress) {
  const auto part = part_of(progress);
  return part ? std::to_string(static_cast<int>(*part * 100)) + " %" : "";
}

std::string film_time_text(const FilmProgress &progress) {
  const auto whole = [](std::chrono::nanoseconds time) { return static_cast<int64_t>(seconds_of(time)); };
  if (!progress.length) return clock_text(whole(progress.done));
  return clock_text(std::min(whole(progress.done), whole(*progress.length))) + " of " +
         clock_text(whole(*progress.length));
}

std::string count_text(uint64_t count, const char *noun) {
  return counted(static_cast<int64_t>(count), noun);
}

// What windows the store did not have.
uint64_t expected_requests(const FilmProgress &progress) {
  const uint64_t most = progress.estimate ? progress.estimate->requests : 0;
  const uint64_t left = most > progress.cached ? most - progress.cached : 0;
  return std::max(left, progress.requests);
}

}  // namespace

void FilmPace::add(double now, double done) {
  if (!marks_.empty() && now - marks_.back().now < kLeastTime_s / 2) return;
  marks_.push_back({now, done});
  while (marks_.size() > 2 && now - marks_[1].now > kRemembered_s) marks_.pop_front();
}

std::optional<int64_t> FilmPace::left(double length) const {
  if (marks_.empty()) return std::nullopt;
  const Mark &first = marks_.front(), &last = marks_.back();
  const double took = last.now - first.now, made = last.done - first.done;
  if (took < kLeastTime_s || made <= 0) return std::nullopt;
  return std::llround(std::max(length - last.done, 0.0) * took / made);
}

std::string film_bar_line(const FilmView &view, size_t columns) {
  std::string line =
      view.films > 1 ? std::to_string(view.number) + "/" + std::to_string(view.films) + " " : "";
  line += cut_to(printable(view.name), kWidestFilm);
  std::string end = film_time_text(view.progress);
  if (view.left && *view.left >= kLeastLeft_s) end += "  about " + clock_text(*view.left) + " left";
  const auto part = part_of(view.progress);
  const size_t others = width_of(line) + width_of(end) + kBesideBar + 2;
  const size_t room = columns > others ? columns - others : 0;
  if (part) line += bar_text(room, *part, percent_of(view.progress));
  return cut_to(line + "  " + end, columns);
}

std::string film_counts_line(const FilmView &view, size_t columns) {
  const FilmProgress &progress = view.progress;
  std::string line = progress.estimate ? std::to_string(progress.requests) + " of " +
                                             count_text(expected_requests(progress), "request")
                                       : count_text(progress.requests, "request");
  if (progress.cached > 0) line += ", " + count_text(progress.cached, "answer") + " from the store";
  if (progress.skipped > 0) line += ", " + count_text(progress.skipped, "window") + " without";
  line += ", " + std::to_string(progress.tokens);
  if (progress.estimate && progress.estimate->tokens > 0 && progress.estimate->requests > 0)
    line += " of about " + std::to_string(progress.estimate->tokens * expected_requests(progress) /
                                          progress.estimate->requests);
  return cut_to(line + " tokens", columns);
}

std::string film_change_line(const FilmView &view) {
  const FilmProgress &progress = view.progress;
  std::string line = printable(view.name) + ": ";
  if (const std::string percent = percent_of(progress); !percent.empty()) line += percent + ", ";
  line += film_time_text(progress) + ", " + count_text(progress.requests, "request");
  if (progress.cached > 0) line += ", " + count_text(progress.cached, "answer") + " from the store";
  return line + ", " + count_text(progress.tokens, "token");
}

std::string film_estimate_line(const std::string &name, const FilmEstimate &estimate) {
  std::string line = printable(name) + ": " + count_text(estimate.windows, "window") + ", at most " +
                     count_text(estimate.requests, "request");
  if (estimate.tokens > 0) line += ", about " + count_text(estimate.tokens, "token");
  return line;
}

int64_t film_step(const FilmProgress &progress) {
  const auto part = part_of(progress);
  return static_cast<int64_t>(part ? *part * 10 : seconds_of(progress.done) / kUnknownStep_s);
}

void FilmTotals::add(const FilmProgress &progress, bool is_left) {
  requests += progress.requests;
  cached += progress.cached;
  tokens += progress.tokens;
  if (is_left) return;
  skipped += progress.skipped;
  unasked += progress.unasked;
}

std::string films_end_text(const FilmTotals &totals) {
  if (totals.films > 0 && totals.there == totals.films)
    return totals.films == 1 ? "The captions are there already: nothing was asked."
                             : "The captions of all " + count_text(totals.films, "film") +
                                   " are there already: nothing was asked.";
  const size_t left = totals.films - totals.done - totals.failed - totals.there;
  std::string text = std::to_string(totals.done) + " of " + count_text(totals.films, "film") +
                     (totals.films == 1 ? " is captioned" : " are captioned");
  if (totals.failed > 0) text += ", " + std::to_string(totals.failed) + " failed";
  if (totals.there > 0)
    text +=
        ", " + std::to_string(totals.there) + (totals.there == 1 ? " was" : " were") + " captioned already";
  if (left > 0) text += ", " + std::to_string(left) + (left == 1 ? " is" : " are") + " left";
  text += ": " + count_text(totals.requests, "request");
  if (totals.cached > 0) text += ", " + count_text(totals.cached, "answer") + " from the store";
  text += ", " + count_text(totals.tokens, "token");
  if (totals.credits > 0) text += ", " + cost_text(totals.credits) + " for clips";
  if (totals.skipped > 0) text += ", " + count_text(totals.skipped, "window") + " without a caption";
  if (totals.unasked > 0) text += ", " + std::to_string(totals.unasked) + " of them not asked about";
  return text + ".";
}

}  // namespace genclip
