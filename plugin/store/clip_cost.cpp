// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An unknown cost is never shown as 0.
#include "plugin/store/clip_cost.h"

#include <algorithm>
#include <vector>

#include "plugin/base/number.h"

namespace genclip {
namespace {

// There is no task, or one that failed without a cost.
bool is_free(const ClipRecord &record) {
  return record.state == ClipState::refused || record.state == ClipState::failed;
}

// Those that may have cost something: its own, and that of the clip that its task is to replace. A service
// may answer with the task of that clip, which has its cost once.
std::vector<const ClipRecord *> records_of(const StoredClip &clip) {
  std::vector<const ClipRecord *> records;
  for (const ClipRecord *record = clip.record ? &*clip.record : nullptr; record;
       record = record->replaced.get()) {
    const bool is_same_task =
        !records.empty() && !record->task_id.empty() && record->task_id == records.back()->task_id;
    if (!is_same_task)
      records.push_back(record);
    else if (records.back()->amount < 0)
      records.back() = record;
  }
  return records;
}

}  // namespace

std::string credits_text(double credits) { return credits < 0 ? "" : rounded_text(credits, 4); }

std::string cost_text(double credits) {
  if (credits < 0) return "an unknown number of credits";
  return counted(credits_text(credits), "credit");
}

std::string ClipsCost::text() const {
  if (untold == 0) return cost_text(credits);
  const auto counted_clips = [](size_t count) {
    return count == 1 ? std::string("one clip") : std::to_string(count) + " clips";
  };
  std::string text = cost_text(credits) + ", without " + counted_clips(untold);
  if (under_way == untold) return text + (untold == 1 ? " that is under way" : " that are under way");
  text += " whose cost was not told";
  if (under_way > 0)
    text += ", of which " + std::to_string(under_way) + (under_way == 1 ? " is" : " are") + " under way";
  return text;
}

ClipsCost cost_of(std::span<const StoredClip> clips) {
  ClipsCost cost;
  for (const StoredClip &clip : clips) {
    if (!clip.record) ++cost.untold;
    for (const ClipRecord *record : records_of(clip))
      if (record->amount >= 0)
        cost.credits += record->amount;
      else if (!is_free(*record)) {
        ++cost.untold;
        cost.under_way += record->state == ClipState::submitted && !was_completed(*record, record->task_id);
      }
  }
  return cost;
}

double told_cost(const StoredClip &clip) {
  double credits = -1;
  for (const ClipRecord *record : records_of(clip))
    if (record->amount >= 0) credits = std::max(credits, 0.0) + record->amount;
  return credits;
}

std::string cost_text(const StoredClip &clip) {
  return told_cost(clip) < 0 ? cost_text(-1) : cost_of(std::span(&clip, 1)).text();
}

}  // namespace genclip
