// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/paid_clips.h"

#include "plugin/account/ledger.h"
#include "plugin/store/clip_cost.h"

namespace genclip {

std::string PaidClips::find(const std::string &key) {
  if (!paid_) {
    paid_.emplace();
    if (const auto reading = Ledger(files_, clock_, store_).read_all())
      for (const Charge &charge : reading->account.charges()) {
        if (charge.state != ChargeState::settled || charge.status != "completed") continue;
        // What was not fetched may still come, and has warnings of its own.
        if (reading->account.is_unfetched(charge)) continue;
        (*paid_)[charge.key] =
            (charge.amount ? cost_text(*charge.amount) : "cost not told") + ", task " + charge.task_id;
      }
  }
  const auto found = paid_->find(key);
  return found == paid_->end() ? "" : found->second;
}

}  // namespace genclip
