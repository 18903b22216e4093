// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A few samples a class, the oldest dropped first.
#include "plugin/account/price_history.h"

#include <algorithm>

namespace genclip {

PriceClass price_class_of(const ChargeFacts &facts) {
  PriceClass found{facts.base_url, facts.model, facts.duration, facts.resolution, facts.size,
                   facts.audio,    ""};
  for (const auto &[kind, count] : facts.references) {
    if (!found.reference_kinds.empty()) found.reference_kinds += ' ';
    found.reference_kinds += kind;
  }
  return found;
}

void PriceHistory::put(const PriceClass &price_class, uint64_t number, double amount) {
  auto &samples = classes_[price_class];
  const auto same = std::find_if(samples.begin(), samples.end(),
                                 [&](const Sample &sample) { return sample.number == number; });
  if (same != samples.end()) {
    same->amount = amount;
    return;
  }
  if (!samples.empty() && number < samples.back().number) return;
  samples.push_back({number, amount});
  if (samples.size() > kKept) samples.pop_front();
}

}  // namespace genclip
