// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/paid_sum.h"

#include <algorithm>

#include "plugin/command/account_reading.h"
#include "plugin/store/clip_cost.h"

namespace genclip {

double PaidSum::count(const PlannedClip &planned, const GenerationState &state) {
  const double before = credits_;
  const bool is_own = state.charged && !state.reused;
  if (is_own && state.amount > 0 && counted_.insert(planned.key).second) credits_ += state.amount;
  if (is_own && state.amount < 0 && state.status == ClipStatus::completed) untold_.insert(planned.key);
  const auto is_counted = [&](const std::string &key) { return counted_.contains(key); };
  if (state.links_amount <= 0 || std::all_of(planned.links.begin(), planned.links.end(), is_counted))
    return credits_ - before;
  const auto reading = ledger_of(planned.plan.job.store).read_all();
  if (!reading) return credits_ - before;
  for (const std::string &key : planned.links) {
    const Charge *charge = reading->account.find(key);
    if (charge && charge->spent() > 0 && counted_.insert(key).second) credits_ += charge->spent();
  }
  return credits_ - before;
}

double PaidSum::count_left(const PlannedClip &planned, const GenerationState &state) {
  if (state.charged && !state.reused && state.amount < 0) ++unpriced_;
  return count(planned, state);
}

std::string PaidSum::to_text() const {
  std::string text = "Paid by this run: " + cost_text(credits_);
  if (!untold_.empty())
    text += untold_.size() == 1
                ? ", and a clip whose cost was not told"
                : ", and " + std::to_string(untold_.size()) + " clips whose cost was not told";
  if (unpriced_ > 0)
    text += unpriced_ == 1
                ? ", and a task under way whose cost is not known yet"
                : ", and " + std::to_string(unpriced_) + " tasks under way whose cost is not known yet";
  return text + ".";
}

}  // namespace genclip
