// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run of several clips has paid, in credits.
#pragma once

#include <set>
#include <string>

#include "plugin/command/batch_plan.h"
#include "plugin/generation/clip_status.h"

namespace genclip {

// Counts each clip once, though several clips may begin with it, and it may be asked for by itself too.
class PaidSum {
 public:
  // What a clip has cost so far, with the clips that it begins with. Their costs are in `links_amount` of
  // each state that uses them, so the ledger says what each of them has cost. Reads the ledger for those.
  // Returns the credits of those that were not counted before.
  double count(const PlannedClip &planned, const GenerationState &state);

  // The same, of a clip that was left before its end.
  double count_left(const PlannedClip &planned, const GenerationState &state);

  double credits() const { return credits_; }

  // "Paid by this run: 12.5 credits, and a task under way whose cost is not known yet."
  std::string to_text() const;

 private:
  double credits_ = 0;
  size_t unpriced_ = 0;            // Tasks under way.
  std::set<std::string> untold_;   // Keys of clips that were made, and whose cost was not told.
  std::set<std::string> counted_;  // Keys of clips.
};

}  // namespace genclip
