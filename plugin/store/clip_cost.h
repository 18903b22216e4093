// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What stored clips have cost, in words.
#pragma once

#include <span>
#include <string>

#include "plugin/store/store_listing.h"

namespace genclip {

// "2.5"; empty when unknown (below 0).
std::string credits_text(double credits);
// "2.5 credits"; "an unknown number of credits".
std::string cost_text(double credits);

// What a clip has cost, with the task that is to replace it, as far as that was told; -1: nothing was.
double told_cost(const StoredClip &clip);
// "2.5 credits", with what was not told, as ClipsCost has it.
std::string cost_text(const StoredClip &clip);

// The cost of several clips together, with the tasks that are to replace them.
struct ClipsCost {
  double credits = 0;  // The sum of the known costs.
  // The number of clips whose cost the service has not told, as genclip cost calls it: there, UNKNOWN are
  // submits whose outcome nobody knows.
  size_t untold = 0;
  size_t under_way = 0;  // Of these: whose tasks run, as far as the store knows. Their cost is told later.

  // "2.5 credits"; "2.5 credits, without 3 clips whose cost was not told, of which 2 are under way".
  std::string text() const;
};
ClipsCost cost_of(std::span<const StoredClip> clips);

}  // namespace genclip
