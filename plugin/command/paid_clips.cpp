// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/paid_clips.h"

#include "plugin/account/ledger.h"

namespace genclip {

bool PaidClips::contains(const std::string &key) {
  if (!keys_) {
    keys_.emplace();
    if (const auto reading = Ledger(files_, clock_, store_).read_all())
      for (const Charge &charge : reading->account.charges()) {
        if (charge.state != ChargeState::settled || charge.status != "completed" || charge.amount == 0)
          continue;
        // What was not fetched may still come, and has warnings of its own.
        if (!reading->account.is_unfetched(charge)) keys_->insert(charge.key);
      }
  }
  return keys_->contains(key);
}

}  // namespace genclip
