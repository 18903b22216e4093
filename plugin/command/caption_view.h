// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a person sees of films that are captioned, as texts. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "plugin/film/film_progress.h"

namespace genclip {

// How fast a film is captioned: by the last minute, because what the store has comes at once.
class FilmPace {
 public:
  // Both in seconds; each call is later than the one before.
  void add(double now, double done);
  // Seconds until `length` is reached; nothing: there is no telling yet.
  std::optional<int64_t> left(double length) const;

 private:
  struct Mark {
    double now, done;
  };
  std::deque<Mark> marks_;
};

struct FilmView {
  std::string name;
  size_t number = 1, films = 1;
  FilmProgress progress;
  std::optional<int64_t> left;  // Seconds.
};

// "2/3 storm.mp4  [#######-------]  50 %  0:42 of 1:24  about 0:40 left", no wider than `columns`.
std::string film_bar_line(const FilmView &view, size_t columns);
// "9 of 17 requests, 3 answers from the store, 5120 of about 9700 tokens", no wider than `columns`.
std::string film_counts_line(const FilmView &view, size_t columns);
// For a pipe: "storm.mp4: 50 %, 0:42 of 1:24, 9 requests, 5120 tokens".
std::string film_change_line(const FilmView &view);
// "storm.mp4: 17 windows, at most 17 requests, about 9700 tokens".
std::string film_estimate_line(const std::string &name, const FilmEstimate &estimate);
// Which of the lines of a pipe this is: each tenth of the film, or each five minutes where its length is
// unknown.
int64_t film_step(const FilmProgress &progress);

// Sums of the films of a run.
struct FilmTotals {
  size_t films = 0, done = 0, failed = 0;
  size_t there = 0;  // All of their files were there before: nothing was done.
  uint64_t requests = 0, cached = 0, skipped = 0, unasked = 0, tokens = 0;
  double credits = 0;  // Of the films that were generated.

  // `is_left`: to another run, which asks about its windows.
  void add(const FilmProgress &progress, bool is_left = false);
};
// "2 of 3 films are captioned, 1 failed: 48 requests, 12 answers from the store, 15360 tokens."
std::string films_end_text(const FilmTotals &totals);

}  // namespace genclip
