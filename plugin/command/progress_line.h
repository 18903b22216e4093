// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Shows the progress of a generation on standard error: a bar on a terminal, otherwise a line for each
// change.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/generation/clip_status.h"

namespace genclip {

class ProgressLine {
 public:
  // Quiet: shows no progress.
  explicit ProgressLine(bool quiet);

  void show(const GenerationState &state);
  // Updates the time on a terminal.
  void tick();
  // Removes the bar before other text.
  void clear();

 private:
  void draw();
  void print_change();

  const bool quiet_;
  const bool terminal_;
  const int64_t started_;
  bool drawn_ = false;
  GenerationState state_;
  int64_t shown_at_ = 0;  // When it became state_, as started_.
  std::string last_line_;
};

}  // namespace genclip
