// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a clip will cost, judged by what clips like it have cost.
#pragma once

#include <optional>
#include <vector>

#include "plugin/account/ledger_entry.h"
#include "plugin/account/price_history.h"

namespace genclip {

// By the first of these rules that applies, over tasks of the same base_url that were completed:
// - "same": the median of the last 20 with the same model, duration, resolution or size, audio and kinds of
//   references; from the cheapest to the dearest of them.
// - "line": a straight line over the duration, by least squares through those with the same model and
//   resolution or size, of at least two durations; as much below and above it as they were.
// - "range": the median of those of the same model; from the cheapest to the dearest of them.
// Nothing: what it will cost is unknown, which is not 0. Clips that cost 0 are no part of the history. Pure.
std::optional<Estimate> estimate_price(const PriceHistory &history, const ChargeFacts &facts);

// All together. `estimates` has one at least. The result rests on the weakest of them.
Estimate sum_of(const std::vector<Estimate> &estimates);
// Nothing: the cost of one of them is unknown. `assumed_price`: credits that count where nothing is known; 0:
// none.
std::optional<Estimate> total_of(const std::vector<std::optional<Estimate>> &estimates,
                                 double assumed_price = 0);

}  // namespace genclip
