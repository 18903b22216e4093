// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as budget.json: limits that are written and read again without a difference, or an error; and a
// decision by them that has words whenever it refuses.
#include "plugin/account/budget.h"
#include "plugin/account/decision.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(budget)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto json = Json::parse(as_text(data, size));
  if (!json) return 0;
  const auto budget = Budget::from_json(*json);
  if (!budget) {
    hold(!budget.error().text.empty());
    return 0;
  }
  for (const BudgetLimit &limit : budget_limits()) hold(fault_of(limit, (*budget).*(limit.value)).empty());
  const auto again = Budget::from_json(budget->to_json());
  hold(again && *again == *budget);
  for (const auto &estimate :
       {std::optional<Estimate>(), std::optional<Estimate>(Estimate{1, 2, 3, 1, "same"})}) {
    const Decision decision = decide({}, *budget, clip_spending(*budget, 0, estimate), UtcTime());
    hold((decision.verdict == Verdict::refuse) == !decision.text.empty());
    hold(decision.verdict != Verdict::wait);
  }
  for (const uint64_t most : {0, 7}) {
    const Decision decision = decide({}, *budget, caption_spending({16, 0, most}), UtcTime());
    hold((decision.verdict == Verdict::refuse) == !decision.text.empty());
    hold(decision.verdict != Verdict::wait && hold_of(decision).held_requests <= 16);
  }
  return 0;
}
