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

// The cost of several clips together.
struct ClipsCost {
  double credits = 0;  // The sum of the known costs.
  size_t unknown = 0;  // The number of clips whose cost is unknown.

  // "2.5 credits"; "2.5 credits, without 3 clips whose cost is unknown".
  std::string text() const;
};
ClipsCost cost_of(std::span<const StoredClip> clips);

}  // namespace genclip
