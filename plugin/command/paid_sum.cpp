// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/paid_sum.h"

#include <algorithm>

#include "plugin/account/ledger.h"
#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/store/clip_cost.h"

namespace genclip {

void PaidSum::count(const PlannedClip &planned, const GenerationState &state) {
  if (state.charged && !state.reused && state.amount > 0 && counted_.insert(planned.key).second)
    credits_ += state.amount;
  const auto is_counted = [&](const std::string &key) { return counted_.contains(key); };
  if (state.links_amount <= 0 || std::all_of(planned.links.begin(), planned.links.end(), is_counted)) return;
  const auto reading = Ledger(FileSystem::posix(), Clock::system(), planned.plan.job.store).read_all();
  if (!reading) return;
  for (const std::string &key : planned.links) {
    const Charge *charge = reading->account.find(key);
    if (charge && charge->spent() > 0 && counted_.insert(key).second) credits_ += charge->spent();
  }
}

void PaidSum::count_left(const PlannedClip &planned, const GenerationState &state) {
  count(planned, state);
  if (state.charged && !state.reused && state.amount < 0) ++unpriced_;
}

std::string PaidSum::to_text() const {
  std::string text = "Paid by this run: " + cost_text(credits_);
  if (unpriced_ > 0)
    text += unpriced_ == 1
                ? ", and a task under way whose cost is not known yet"
                : ", and " + std::to_string(unpriced_) + " tasks under way whose cost is not known yet";
  return text + ".";
}

}  // namespace genclip
