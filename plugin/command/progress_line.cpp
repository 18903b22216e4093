// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/progress_line.h"

#include <glib.h>

#include <algorithm>
#include <cstdio>

#include "plugin/command/amounts.h"
#include "plugin/command/console.h"

namespace genclip {
namespace {

constexpr size_t kWidestBar = 40;
constexpr size_t kNarrowestBar = 5;

bool is_under_way(ClipStatus status) {
  return status != ClipStatus::idle && status != ClipStatus::completed && status != ClipStatus::failed;
}

std::string status_text(const GenerationState &state) {
  std::string text(to_word(state.status));
  if (state.status == ClipStatus::preparing && state.link > 0)
    text += " " + std::to_string(state.link) + "/" + std::to_string(state.links);
  return text;
}

std::string percent_text(const GenerationState &state) {
  return state.progress < 0 ? "" : std::to_string(state.progress) + " %";
}

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet), terminal_(takes_sequences(stderr)), started_(g_get_monotonic_time()) {}

void ProgressLine::show(const GenerationState &state) {
  state_ = state;
  if (quiet_ || !is_under_way(state.status)) return;
  if (terminal_)
    draw();
  else
    print_change();
}

void ProgressLine::tick() {
  if (drawn_) draw();
}

void ProgressLine::clear() {
  if (drawn_) fputs("\r\033[K", stderr);
  drawn_ = false;
}

// "processing  [#######-------]  50 %  0:42", as wide as the terminal allows. The last column stays free:
// where it is written, the cursor stays in it, and what follows erases it.
void ProgressLine::draw() {
  const std::string status = status_text(state_);
  const std::string time = clock_text((g_get_monotonic_time() - started_) / G_USEC_PER_SEC);
  std::string percent = percent_text(state_);
  percent.insert(0, 5 - std::min<size_t>(percent.size(), 5), ' ');
  std::string line = status;
  line.resize(std::max<size_t>(line.size(), sizeof "downloading" - 1), ' ');
  const size_t others = line.size() + percent.size() + time.size() + 8;
  const size_t columns = columns_of(stderr) - 1;
  const size_t room = columns - std::min(columns, others);
  // The percentage is the task's, not the download's.
  if (state_.status != ClipStatus::downloading && state_.progress >= 0 && room >= kNarrowestBar) {
    const size_t width = std::min(room, kWidestBar);
    const size_t done = width * static_cast<size_t>(std::min(state_.progress, 100)) / 100;
    line += "  [" + std::string(done, '#') + std::string(width - done, '-') + "]  " + percent;
  }
  line += "  " + time;
  fprintf(stderr, "\r%s\033[K", line.c_str());
  fflush(stderr);
  drawn_ = true;
}

void ProgressLine::print_change() {
  std::string line = status_text(state_);
  if (state_.status != ClipStatus::downloading && state_.progress >= 0) line += ", " + percent_text(state_);
  if (line == last_line_) return;
  last_line_ = line;
  const std::string task = state_.task_id.empty() ? "" : " (task " + printable(state_.task_id) + ")";
  fprintf(stderr, "%s%s\n", line.c_str(), task.c_str());
}

}  // namespace genclip
