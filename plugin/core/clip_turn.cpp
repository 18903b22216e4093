// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/core/clip_turn.h"

#include <algorithm>

namespace genclip {
namespace {

// A record with nothing but this request.
ClipRecord blank(const ClipRun &run) {
  ClipRecord record;
  record.identity = run.record.identity;
  record.model = run.record.model;
  return record;
}

// Begins a further attempt, with everything that outlives attempts.
ClipRecord begin_attempt(const ClipRun &run) {
  ClipRecord attempt = blank(run);
  attempt.replaced = run.whole;
  if (!run.found) return attempt;
  attempt.unanswered_submits = unanswered_submits_of(*run.found);
  attempt.unfetched_tasks = unfetched_tasks_of(*run.found);
  attempt.completed_tasks = run.found->completed_tasks;
  attempt.earlier_tasks = run.found->earlier_tasks;
  add_task(attempt.earlier_tasks, run.found->task_id);
  return attempt;
}

Reaction follow(ClipRun &&run, ClipRecord record) {
  const std::string model = record.model.empty() ? run.record.model : record.model;
  record.identity = run.record.identity;
  record.model = model;
  record.state = ClipState::submitted;
  record.error.clear();
  record.http_status = 0;
  record.clip_name.clear();
  if (record.replaced && !run.whole) record.replaced.reset();
  // An earlier run's download is not this one's.
  if (record.status == to_word(ClipStatus::downloading)) record.status = to_word(ClipStatus::processing);
  run.amount = record.amount;
  run.record = std::move(record);
  return next_after_writing(std::move(run), ClipStep::follow);
}

Reaction follow_named(ClipRun &&run) {
  const auto &found = run.found;
  const bool is_under_way =
      found && (found->state == ClipState::submitted || found->state == ClipState::lost);
  if (is_under_way && found->task_id == run.wish.task_id) {
    ClipRecord task = *found;
    return follow(std::move(run), std::move(task));
  }
  ClipRecord attempt = begin_attempt(run);
  attempt.task_id = run.wish.task_id;
  std::erase(attempt.unfetched_tasks, attempt.task_id);
  std::erase(attempt.earlier_tasks, attempt.task_id);
  run.is_unheard_of = true;
  Reaction reaction = follow(std::move(run), std::move(attempt));
  reaction.write = false;
  return reaction;
}

// An earlier submit of the request may have been charged, and no task of it can be had.
bool is_in_doubt(const ClipRun &run) {
  return is_undelivered(run) || !run.unknown.empty() || (run.found && unanswered_submits_of(*run.found) > 0);
}

// All tasks that may still bring the clip were asked for, in vain: now the request is submitted, even if that
// pays again, as far as the run may do so.
Reaction submit(ClipRun &&run) {
  if (run.wish.may_submit != MaySubmit::even_in_doubt && is_in_doubt(run))
    return next(std::move(run), ClipStep::stay_in_doubt);
  if (run.wish.may_submit == MaySubmit::never) return next(std::move(run), ClipStep::stay_unsubmitted);
  run.attempt = begin_attempt(run);
  for (const FailedTask &task : run.failed) {
    if (task.was_completed) continue;
    std::erase(run.attempt.unfetched_tasks, task.id);
    add_task(run.attempt.earlier_tasks, task.id);
  }
  run.attempt.state = ClipState::intent;
  run.attempt.warned_submits = run.attempt.unanswered_submits;
  return next(std::move(run), ClipStep::submit);
}

// How the run that this one waited for ended, if this run is to end in the same way.
std::optional<ClipStep> shared_end(const ClipRun &run) {
  const ClipRecord &found = *run.found;
  if (!run.is_news) return std::nullopt;
  if (!run.wish.task_id.empty() && run.wish.task_id != found.task_id) return std::nullopt;
  if (found.state == ClipState::failed) return ClipStep::share_failure;
  if (is_refusal_of_request(found.http_status) && found.state != ClipState::lost)
    return ClipStep::share_refusal;
  if (found.state == ClipState::ambiguous) return ClipStep::share_doubt;
  const bool failed_to_replace = found.state == ClipState::complete && !found.error.empty();
  return failed_to_replace ? std::optional(ClipStep::share_failure) : std::nullopt;
}

}  // namespace

Reaction next(ClipRun &&run, ClipStep step) {
  run.step = step;
  return {std::move(run)};
}

Reaction next_after_writing(ClipRun &&run, ClipStep step) {
  run.step = step;
  return {std::move(run), true};
}

bool was_completed(const ClipRun &run) { return was_completed(run.record, run.record.task_id); }

bool is_undelivered(const ClipRun &run) {
  return std::ranges::any_of(run.failed, &FailedTask::was_completed) ||
         std::ranges::any_of(run.unknown,
                             [&](const std::string &id) { return was_completed(*run.found, id); });
}

std::vector<std::string> displaced_tasks(const ClipRun &run) {
  if (!run.found) return {};
  const ClipRecord &found = *run.found;
  std::vector<std::string> tasks = unfetched_tasks_of(found);
  std::erase_if(tasks, [&](const std::string &id) {
    const bool is_under_way = found.state == ClipState::submitted && id == found.task_id;
    return id == run.wish.task_id || !(is_under_way || run.is_of_ledger || was_completed(found, id));
  });
  return tasks;
}

Reaction follow_unfetched(ClipRun &&run) {
  if (run.found->task_id == run.asked) {
    ClipRecord task = *run.found;
    return follow(std::move(run), std::move(task));
  }
  ClipRecord attempt = begin_attempt(run);
  attempt.task_id = run.asked;
  std::erase(attempt.unfetched_tasks, run.asked);
  std::erase(attempt.earlier_tasks, run.asked);
  return follow(std::move(run), std::move(attempt));
}

Reaction ask_or_submit(ClipRun &&run) {
  if (run.to_ask.empty()) return submit(std::move(run));
  run.asked = run.to_ask.back();
  run.to_ask.pop_back();
  return next(std::move(run), ClipStep::ask);
}

Reaction plan(ClipRun &&run) {
  const auto &found = run.found;
  run.whole = found ? whole_clip_of(*found) : nullptr;
  if (found) {
    const bool has_successor = found->state == ClipState::submitted || found->state == ClipState::lost;
    if (served_without_turn(*found, run.wish, run.is_news, run.first_whole)) {
      if (!has_successor || !run.wish.has_key || !run.wish.task_id.empty())
        return next(std::move(run), ClipStep::serve);
      run.asked = found->task_id;
      return next(std::move(run), ClipStep::look);
    }
    if (const auto end = shared_end(run)) return next(std::move(run), *end);
  }
  if (!run.wish.has_key) return next(std::move(run), ClipStep::need_key);
  if (!run.wish.task_id.empty()) return follow_named(std::move(run));
  if (!found) return submit(std::move(run));
  if (found->state == ClipState::submitted) {
    ClipRecord task = *found;
    return follow(std::move(run), std::move(task));
  }
  run.to_ask = unfetched_tasks_of(*found);
  return ask_or_submit(std::move(run));
}

ClipRecord standing(const ClipRun &run) {
  const ClipRecord &ended = run.record;
  const bool was_named = !run.wish.task_id.empty() && run.found && run.found->task_id != ended.task_id;
  if (was_named) {
    ClipRecord back = *run.found;
    add_task(back.earlier_tasks, ended.task_id);
    back.error = ended.error;
    return back;
  }
  if (!run.whole) return ended;
  const uint64_t unanswered = unanswered_submits_of(ended);
  ClipRecord back = unanswered > 0 ? blank(run) : *run.whole;
  if (unanswered > 0) {
    back.state = ClipState::ambiguous;
    back.unanswered_submits = unanswered - 1;
    back.replaced = run.whole;
  }
  back.earlier_tasks = ended.earlier_tasks;
  back.unfetched_tasks = unfetched_tasks_of(ended);
  back.completed_tasks = ended.completed_tasks;
  add_task(back.earlier_tasks, ended.task_id);
  std::erase(back.earlier_tasks, run.whole->task_id);
  std::erase(back.unfetched_tasks, run.whole->task_id);
  back.error = ended.error;
  return back;
}

ClipRecord record_of(const ClipRun &run, const OpenCharges &open) {
  ClipRecord record = blank(run);
  record.state = open.reserved_at.empty() ? ClipState::refused : ClipState::ambiguous;
  record.reserved_at = open.reserved_at;
  for (const OpenTask &task : open.tasks) {
    record.unfetched_tasks.push_back(task.id);
    if (task.was_completed) record.completed_tasks.push_back(task.id);
  }
  record.unanswered_submits = open.unanswered - (open.reserved_at.empty() ? 0 : 1);
  record.submitted_at = open.latest_at;
  // Nothing is to be paid while the latest one is paid: it is followed.
  if (open.unanswered == 0 && open.tasks.back().was_completed) {
    const OpenTask &latest = open.tasks.back();
    record.state = ClipState::submitted;
    record.task_id = latest.id;
    record.reserved_at = latest.reserved_at;
    record.amount = latest.amount;
    record.unfetched_tasks.pop_back();
  }
  return record;
}

std::shared_ptr<const ClipRecord> served_without_turn(const ClipRecord &record, const RunWish &wish,
                                                      bool is_news, const std::string &first_whole) {
  auto whole = whole_clip_of(record);
  if (!whole) return nullptr;
  const bool is_named = wish.task_id.empty() || whole->task_id == wish.task_id;
  // Without `reuse`, only a clip that arrived while this run waited counts.
  const bool is_new = is_news && record.state == ClipState::complete && whole->task_id != first_whole;
  const bool is_own = !wish.own_task.empty() && whole->task_id == wish.own_task;
  return is_named && (wish.reuse || is_new || is_own) ? whole : nullptr;
}

}  // namespace genclip
