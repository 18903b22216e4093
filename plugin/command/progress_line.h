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
  // Updates the time on a terminal, and how many bytes of the clip are here; `size` 0: unknown.
  void tick(uint64_t bytes, uint64_t size);
  // Removes the bar before other text.
  void clear();

 private:
  void draw();
  std::string bar(size_t room) const;
  void print_change();

  const bool quiet_;
  const bool terminal_;
  const int64_t started_;
  bool drawn_ = false;
  GenerationState state_;
  int64_t shown_at_ = 0;  // When it became state_, as started_.
  uint64_t bytes_ = 0;
  uint64_t size_ = 0;
  std::string last_line_;
};

}  // namespace genclip
