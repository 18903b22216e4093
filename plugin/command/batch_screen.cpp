// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/batch_screen.h"

#include <glib.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "plugin/command/console.h"

namespace genclip {

BatchScreen::BatchScreen(bool quiet) : quiet_(quiet), terminal_(takes_sequences(stderr)) {}

void BatchScreen::show(size_t index, const std::string &name, const std::string &prompt,
                       const GenerationState &state) {
  Shown &shown = shown_[index];
  if (shown.began == 0) shown.began = g_get_monotonic_time();
  name_columns_ = std::max(name_columns_, name_columns(name));
  shown.job = {name, prompt, state, 0};
  if (quiet_ || terminal_) return;
  const std::string line = change_line(shown.job);
  if (std::exchange(shown.last_line, line) != line) print_note(line);
}

double BatchScreen::remove(size_t index) {
  const auto found = shown_.find(index);
  if (found == shown_.end()) return 0;
  const auto took = g_get_monotonic_time() - found->second.began;
  shown_.erase(found);
  return static_cast<double>(took) / G_USEC_PER_SEC;
}

std::vector<BatchJobView> BatchScreen::views() const {
  std::vector<BatchJobView> views;
  for (const auto &[index, shown] : shown_) {
    views.push_back(shown.job);
    views.back().seconds = (g_get_monotonic_time() - shown.began) / G_USEC_PER_SEC;
  }
  return views;
}

// The last column stays free: where it is written, some terminals break the line. The last row is the
// cursor's, and what has left the screen at its top cannot be drawn over.
void BatchScreen::update(const BatchTotals &totals) {
  if (quiet_ || !terminal_) return;
  clear();
  const std::vector<BatchJobView> jobs = views();
  const size_t columns = columns_of(stderr) - 1;
  const size_t rows = rows_of(stderr) - 1;
  const size_t drawn_jobs = jobs.size() < rows ? jobs.size() : rows - 2;
  std::string text;
  for (size_t i = 0; i < drawn_jobs; ++i) text += job_line(jobs[i], name_columns_, columns) + "\n";
  drawn_ = drawn_jobs + 1;
  if (drawn_jobs < jobs.size()) {
    text += "and " + std::to_string(jobs.size() - drawn_jobs) + " more\n";
    ++drawn_;
  }
  text += total_line(totals, jobs, columns) + "\n";
  fputs(text.c_str(), stderr);
  fflush(stderr);
}

void BatchScreen::clear() {
  if (drawn_ > 0) fprintf(stderr, "\033[%zuA\r\033[J", drawn_);
  drawn_ = 0;
}

}  // namespace genclip
