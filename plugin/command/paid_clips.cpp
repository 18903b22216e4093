// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/paid_clips.h"

#include "plugin/account/ledger.h"
#include "plugin/core/clip_charges.h"

namespace genclip {

bool PaidClips::contains(const std::string &key) {
  if (!keys_) {
    keys_.emplace();
    if (const auto reading = Ledger(files_, clock_, store_).read_all())
      for (const Charge &charge : reading->account.charges())
        if (is_paid_clip(reading->account, charge)) keys_->insert(charge.key);
  }
  return keys_->contains(key);
}

}  // namespace genclip
