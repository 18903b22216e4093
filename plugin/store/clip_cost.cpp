// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An unknown cost is never shown as 0.
#include "plugin/store/clip_cost.h"

#include "plugin/base/number.h"

namespace genclip {
namespace {

// There is no task, or one that failed without a cost.
bool is_free(const StoredClip &clip) {
  return clip.record && (clip.record->state == ClipState::refused || clip.record->state == ClipState::failed);
}

}  // namespace

std::string credits_text(double credits) { return credits < 0 ? "" : rounded_text(credits, 4); }

std::string cost_text(double credits) {
  if (credits < 0) return "an unknown number of credits";
  return counted(credits_text(credits), "credit");
}

std::string ClipsCost::text() const {
  if (untold == 0) return cost_text(credits);
  const std::string others = untold == 1 ? "one clip whose cost was not told"
                                         : std::to_string(untold) + " clips whose cost was not told";
  return cost_text(credits) + ", without " + others;
}

ClipsCost cost_of(std::span<const StoredClip> clips) {
  ClipsCost cost;
  for (const StoredClip &clip : clips) {
    if (clip.record && clip.record->amount >= 0)
      cost.credits += clip.record->amount;
    else if (!is_free(clip))
      ++cost.untold;
  }
  return cost;
}

}  // namespace genclip
