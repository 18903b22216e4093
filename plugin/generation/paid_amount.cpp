// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/paid_amount.h"

#include <algorithm>

#include "plugin/account/decision.h"
#include "plugin/store/clip_cost.h"

namespace genclip {

Charged charged_of(const Error &error) {
  for (const ErrorDetail &detail : error.details)
    if (const auto *word = std::get_if<std::string>(&detail.value); word && detail.name == "charged")
      return from_word<Charged>(*word).value_or(Charged::no);
  return Charged::no;
}

double paid_amount(const GenerationState &state) {
  const bool is_own = state.charged && !state.reused && state.amount > 0;
  return state.links_amount + (is_own ? state.amount : 0);
}

std::vector<PaidTask> paid_tasks(const GenerationState &state) {
  std::vector<PaidTask> tasks = state.link_tasks;
  const bool is_own = state.charged && !state.reused && !state.task_id.empty();
  // A run that fails may have a task that was completed.
  if (is_own) tasks.push_back({state.task_id, state.amount, state.amount < 0 && !state.completed});
  return tasks;
}

Error with_paid(Error error, const GenerationState &state) {
  const auto has = [&](const std::string &name) {
    return std::any_of(error.details.begin(), error.details.end(),
                       [&](const ErrorDetail &detail) { return detail.name == name; });
  };
  if (has("amount")) return error;
  if (state.links_amount > 0 || charged_of(error) != Charged::no)
    error.text = without_nothing_sent(std::move(error.text));
  if (state.links_amount > 0)
    error.text += " This run has paid " + cost_text(state.links_amount) + " for the clips before it.";
  if (const double paid = paid_amount(state); paid > 0) error.details.push_back({"amount", paid});
  return error;
}

}  // namespace genclip
