// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Shows a batch on standard error: on a terminal one line a job and a total, which stay in their place; else
// a line for each change.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugin/command/batch_view.h"

namespace genclip {

class BatchScreen {
 public:
  // Quiet: only what print() is for.
  explicit BatchScreen(bool quiet);

  void show(size_t index, const std::string &name, const std::string &prompt, const GenerationState &state);
  // Seconds that it was shown.
  double remove(size_t index);
  // Draws again, with the time.
  void update(const BatchTotals &totals);
  // Removes the lines before other text, which update() brings back.
  void clear();

 private:
  struct Shown {
    BatchJobView job;
    int64_t began = 0;  // Microseconds.
    std::string last_line;
  };

  std::vector<BatchJobView> views() const;

  const bool quiet_;
  const bool terminal_;
  std::map<size_t, Shown> shown_;
  size_t name_columns_ = 0;  // Of the widest name that was shown.
  size_t drawn_ = 0;         // Lines.
};

}  // namespace genclip
