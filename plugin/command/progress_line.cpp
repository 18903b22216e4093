// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/progress_line.h"

#include <glib.h>

#include <algorithm>
#include <cstdio>

#include "plugin/command/amounts.h"
#include "plugin/command/bar.h"
#include "plugin/command/console.h"

namespace genclip {
namespace {

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

// Seconds pass between two states. A guess is not worth telling near its end: queries come 5 s from each
// other.
std::string left_text(const GenerationState &state, int64_t age) {
  const auto left = static_cast<int64_t>(state.eta) - age;
  if (state.eta >= 0 && left >= 5) return "  about " + clock_text(left) + " left";
  return state.overdue ? "  longer than usual" : "";
}

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet), terminal_(takes_sequences(stderr)), started_(g_get_monotonic_time()) {}

void ProgressLine::show(const GenerationState &state) {
  state_ = state;
  shown_at_ = g_get_monotonic_time();
  if (quiet_ || !is_under_way(state.status)) return;
  if (terminal_)
    draw();
  else
    print_change();
}

void ProgressLine::tick(uint64_t bytes, uint64_t size) {
  bytes_ = bytes;
  size_ = size;
  if (drawn_) draw();
}

void ProgressLine::clear() {
  if (drawn_) fputs("\r\033[K", stderr);
  drawn_ = false;
}

// "processing  [#######-------]  50 %  0:42  about 0:40 left", as wide as the terminal allows. The last
// column stays free: where it is written, the cursor stays in it, and what follows erases it.
void ProgressLine::draw() {
  const std::string status = status_text(state_);
  const int64_t now = g_get_monotonic_time();
  const std::string time =
      clock_text((now - started_) / G_USEC_PER_SEC) + left_text(state_, (now - shown_at_) / G_USEC_PER_SEC);
  std::string line = status;
  line.resize(std::max<size_t>(line.size(), sizeof "downloading" - 1), ' ');
  const size_t others = line.size() + time.size() + kBesideBar + 2;
  const size_t columns = columns_of(stderr) - 1;
  line += bar(columns - std::min(columns, others)) + "  " + time;
  fprintf(stderr, "\r%s\033[K", line.c_str());
  fflush(stderr);
  drawn_ = true;
}

// Of the task, or of the download.
std::string ProgressLine::bar(size_t room) const {
  if (state_.status != ClipStatus::downloading)
    return state_.progress < 0 ? "" : bar_text(room, state_.progress / 100.0, percent_text(state_));
  if (bytes_ == 0) return {};
  const std::string bytes = size_text(bytes_);
  if (size_ == 0) return "  " + bytes;
  return bar_text(room, static_cast<double>(bytes_) / static_cast<double>(size_),
                  bytes + " of " + size_text(size_));
}

void ProgressLine::print_change() {
  std::string line = status_text(state_);
  if (state_.status != ClipStatus::downloading && state_.progress >= 0) line += ", " + percent_text(state_);
  if (line == last_line_) return;
  last_line_ = line;
  const std::string task = state_.task_id.empty() ? "" : " (task " + printable(state_.task_id) + ")";
  print_note(line + task);
}

}  // namespace genclip
