// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a request will cost, with all the clips that it is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/account/decision.h"
#include "plugin/account/estimate.h"
#include "plugin/account/price_history.h"
#include "plugin/generation/request_identity.h"

namespace genclip {

// Whether that clip of the job's store is there, or has a task: a run gets it without paying. Blocks for the
// disk.
bool is_paid(const GenerationJob &job, const IdentifiedRequest &request, const GenerationServices &services);
// Whether it may be: an earlier submit got no answer, or the service does not know the task any more. Another
// submit may then pay twice.
bool may_be_paid(const GenerationJob &job, const IdentifiedRequest &request,
                 const GenerationServices &services);
// The Unix time (0: unknown) of a submit that got no answer, where no query can tell what became of it.
std::optional<int64_t> unsettled_submit(const GenerationJob &job, const IdentifiedRequest &request,
                                        const GenerationServices &services);

// One of the clips that a request is made of.
struct LinkEstimate {
  std::string key;
  std::optional<Estimate> estimate;  // Nothing: its cost is unknown.
};
// This clip, and the clips that have to be made before it, each once. Blocks for the disk; writes nothing.
std::vector<LinkEstimate> link_estimates(const GenerationJob &job, const IdentifiedRequest &request,
                                         const PriceHistory &prices, const GenerationServices &services);
// Of all of them. Nothing: the cost of one of them is unknown. `assumed_price`: credits that count where
// nothing is known; 0: none.
std::optional<Estimate> total_of(const std::vector<LinkEstimate> &links, double assumed_price = 0);

// The costs of this clip, and of the clips that have to be made before it. Nothing: the cost of one of them
// is unknown, or the ledger cannot be read. Blocks for the disk; writes nothing.
std::optional<Estimate> estimate_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services);

// The refusal with which a run of that job would end, by `budget`, with what `account` has spent, or by the
// job's own limit; nothing: neither refuses. The budget's limits are for each of the `links` that are to be
// paid, the job's limit is for all of them, and for the `spent` credits that the run has paid for others.
std::optional<Decision> limit_refusal(const GenerationJob &job, const std::vector<LinkEstimate> &links,
                                      const Account &account, const Budget &budget, double spent,
                                      const GenerationServices &services);

// All together. `estimates` has one at least. The result rests on the weakest of them.
Estimate sum_of(const std::vector<Estimate> &estimates);

}  // namespace genclip
