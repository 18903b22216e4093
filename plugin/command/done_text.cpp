// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/done_text.h"

#include "plugin/command/console.h"
#include "plugin/store/clip_cost.h"

namespace genclip {
namespace {

// "It cost 12 credits when it was made."
std::string cost_when_made(const GenerationState &state) {
  return state.amount < 0 ? "" : " It cost " + cost_text(state.amount) + " when it was made.";
}

}  // namespace

std::string done_text(const GenerationState &state) {
  const std::string task = state.task_id.empty() ? "" : "task " + printable(state.task_id);
  const std::string behind = task.empty() ? "" : " (" + task + ")";
  const std::string amount = state.amount < 0 ? "" : ", " + cost_text(state.amount);
  const std::string whose = state.amount < 0 ? "" : ", which costs " + cost_text(state.amount);
  if (state.reused && !state.charged)
    return "Done, nothing new was submitted: the clip was in the store" + behind +
           ", and this run cost nothing." + cost_when_made(state);
  if (state.reused)
    return "Done, nothing new was submitted: this run attached to " +
           (task.empty() ? "a task that was paid for before" : task) + whose + ".";
  std::string text = "Done" + (task.empty() ? "" : ", " + task) + amount;
  if (state.links_amount > 0) {
    text += "; the clips before it cost " + cost_text(state.links_amount);
    if (state.amount >= 0) text += ", together " + cost_text(state.amount + state.links_amount);
  }
  return text + ".";
}

}  // namespace genclip
