// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How far a generation is, on standard error: a bar on a terminal, else a line for each change.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/generation/clip_status.h"

namespace genclip {

class ProgressLine {
 public:
  // Quiet: nothing but other messages.
  explicit ProgressLine(bool quiet);

  void show(const GenerationState &state);
  // The time goes on, on a terminal.
  void tick();
  // Before other text: takes the bar away.
  void clear();

 private:
  void draw();
  void print_change();

  const bool quiet_;
  const bool terminal_;
  const int64_t started_;
  bool drawn_ = false;
  GenerationState state_;
  std::string last_line_;
};

}  // namespace genclip
