// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run of several clips has paid, in credits.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "plugin/base/error.h"
#include "plugin/generation/clip_status.h"

namespace genclip {

// Counts each task once, though several clips may begin with its clip, and it may be asked for by itself too.
// A clip that is made twice has two tasks. All clips of a run are of one service, so a task's ID names it.
class PaidSum {
 public:
  // What a clip has cost so far, with the clips that it begins with. Returns the credits that were not
  // counted before.
  double count(const GenerationState &state);

  // The same, of a run that has ended, with that error if there is one.
  double count_end(const GenerationState &state, const std::optional<Error> &error);

  // The same, of a clip that was left before its end.
  double count_left(const GenerationState &state);

  double credits() const;

  // "Paid by this run: 12.5 credits, and a task under way whose cost is not known yet. 2 tasks of another run
  // came to 15.5 credits."
  std::string to_text() const;

 private:
  std::map<std::string, double> tasks_;  // Credits by ID; -1: completed, and not told.
  std::set<std::string> under_way_;      // IDs, when their runs ended.
  // Credits by ID: of tasks that another run has submitted, and that this one has waited for.
  std::map<std::string, double> attached_;
};

}  // namespace genclip
