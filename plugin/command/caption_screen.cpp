// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/caption_screen.h"

#include <glib.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "plugin/command/console.h"

namespace genclip {
namespace {

constexpr int64_t kFrame_us = 100'000;

}  // namespace

CaptionScreen::CaptionScreen(bool quiet) : quiet_(quiet), terminal_(takes_sequences(stderr)) {}

void CaptionScreen::begin(std::string name, size_t number, size_t films) {
  clear();
  view_ = {std::move(name), number, films, {}, {}};
  pace_ = {};
  drawn_at_ = 0;
  told_estimate_ = false;
  told_step_ = 0;
}

void CaptionScreen::show(const FilmProgress &progress) {
  const int64_t now = g_get_monotonic_time();
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  view_.progress = progress;
  pace_.add(static_cast<double>(now) / G_USEC_PER_SEC, seconds(progress.done));
  view_.left = progress.length ? pace_.left(seconds(*progress.length)) : std::nullopt;
  if (quiet_) return;
  if (!terminal_) return print_change(false);
  if (drawn_ && now - drawn_at_ < kFrame_us) return;
  drawn_at_ = now;
  draw();
}

void CaptionScreen::finish(const FilmProgress &progress) {
  if (!progress.length) return;
  view_.progress = progress;
  view_.progress.done = std::max(progress.done, *progress.length);
  if (!quiet_ && !terminal_) print_change(true);
}

void CaptionScreen::clear() {
  if (drawn_) fputs("\033[2A\r\033[J", stderr);
  drawn_ = false;
}

// The last column stays free: where it is written, some terminals break the line.
void CaptionScreen::draw() {
  clear();
  const size_t columns = columns_of(stderr) - 1;
  fprintf(stderr, "%s\n%s\n", film_bar_line(view_, columns).c_str(),
          film_counts_line(view_, columns).c_str());
  fflush(stderr);
  drawn_ = true;
}

void CaptionScreen::print_change(bool is_whole) {
  if (view_.progress.estimate && !std::exchange(told_estimate_, true))
    print_note(film_estimate_line(view_.name, *view_.progress.estimate));
  // The last line has the numbers of the whole film, which come a moment later.
  if (!is_whole && view_.progress.length && view_.progress.done >= *view_.progress.length) return;
  const int64_t step = film_step(view_.progress);
  if (std::exchange(told_step_, step) != step) print_note(film_change_line(view_));
}

}  // namespace genclip
