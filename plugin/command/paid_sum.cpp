// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/paid_sum.h"

#include <algorithm>

#include "plugin/command/ending_json.h"
#include "plugin/generation/paid_amount.h"
#include "plugin/store/clip_cost.h"

namespace genclip {

double PaidSum::count(const GenerationState &state) {
  const double before = credits();
  for (const PaidTask &task : paid_tasks(state)) {
    if (task.is_under_way) continue;
    const auto [known, is_new] = tasks_.emplace(task.id, task.amount);
    if (!is_new && task.amount >= 0) known->second = task.amount;
  }
  if (state.reused && state.charged && state.amount > 0) attached_[state.task_id] = state.amount;
  return credits() - before;
}

double PaidSum::count_end(const GenerationState &state, const std::optional<Error> &error) {
  return error && is_under_way(*error) ? count_left(state) : count(state);
}

double PaidSum::count_left(const GenerationState &state) {
  for (const PaidTask &task : paid_tasks(state))
    if (task.is_under_way) under_way_.insert(task.id);
  return count(state);
}

double PaidSum::credits() const {
  double credits = 0;
  for (const auto &[id, amount] : tasks_) credits += std::max(amount, 0.0);
  return credits;
}

std::string PaidSum::to_text() const {
  std::string text = "Paid by this run: " + cost_text(credits());
  const auto untold =
      std::count_if(tasks_.begin(), tasks_.end(), [](const auto &task) { return task.second < 0; });
  if (untold > 0)
    text += untold == 1 ? ", and a clip whose cost was not told"
                        : ", and " + std::to_string(untold) + " clips whose cost was not told";
  // Another clip that begins with it may have learned more.
  const auto unpriced =
      std::ranges::count_if(under_way_, [&](const std::string &id) { return !tasks_.contains(id); });
  if (unpriced > 0)
    text += unpriced == 1
                ? ", and a task under way whose cost is not known yet"
                : ", and " + std::to_string(unpriced) + " tasks under way whose cost is not known yet";
  text += ".";
  // Other clips of this run may have begun what one of them followed.
  size_t others = 0;
  double attached = 0;
  for (const auto &[id, amount] : attached_) {
    if (tasks_.contains(id) || under_way_.contains(id)) continue;
    ++others;
    attached += amount;
  }
  if (others == 0) return text;
  return text + (others == 1 ? " A task" : " " + std::to_string(others) + " tasks") +
         " of another run came to " + cost_text(attached) + ".";
}

}  // namespace genclip
