// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One function for each event; `plan` decides what a run does with the journal that it found.
#include "plugin/store/clip_journal.h"

#include <algorithm>

namespace genclip {
namespace {

constexpr size_t kMaxEarlierTasks = 100;

void add_task(std::vector<std::string> &tasks, const std::string &id) {
  if (id.empty()) return;
  std::erase(tasks, id);
  tasks.push_back(id);
  if (tasks.size() > kMaxEarlierTasks) tasks.erase(tasks.begin());
}

Reaction next(ClipRun &&run, ClipStep step) {
  run.step = step;
  return {std::move(run), false, {}};
}

Reaction next_after_writing(ClipRun &&run, ClipStep step) {
  run.step = step;
  return {std::move(run), true, {}};
}

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

// An earlier submit of the request may have been charged, and no task of it can be had.
bool is_in_doubt(const ClipRun &run) {
  return !run.unknown.empty() || (run.found && unanswered_submits_of(*run.found) > 0);
}

// All tasks that may still bring the clip were asked for, in vain: now the request is submitted, even if that
// pays again, as far as the run may do so.
Reaction submit(ClipRun &&run) {
  if (run.wish.may_submit != MaySubmit::even_in_doubt && is_in_doubt(run))
    return next(std::move(run), ClipStep::stay_in_doubt);
  if (run.wish.may_submit == MaySubmit::never) return next(std::move(run), ClipStep::stay_unsubmitted);
  run.attempt = begin_attempt(run);
  run.attempt.state = ClipState::intent;
  run.attempt.warned_submits = run.attempt.unanswered_submits;
  run.record = run.attempt;
  Reaction reaction = next_after_writing(std::move(run), ClipStep::submit);
  if (reaction.run.record.unanswered_submits > 0)
    reaction.warnings.push_back(ClipWarning::unanswered_submits);
  if (!reaction.run.unknown.empty()) reaction.warnings.push_back(ClipWarning::unknown_tasks);
  return reaction;
}

Reaction ask_or_submit(ClipRun &&run) {
  if (run.to_ask.empty()) return submit(std::move(run));
  run.asked = run.to_ask.back();
  run.to_ask.pop_back();
  return next(std::move(run), ClipStep::ask);
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

// The task brings no clip. The rest of the record stays.
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
  add_task(back.earlier_tasks, ended.task_id);
  std::erase(back.earlier_tasks, run.whole->task_id);
  std::erase(back.unfetched_tasks, run.whole->task_id);
  back.error = ended.error;
  return back;
}

Reaction end_task(ClipRun &&run, ClipState state, std::string error, unsigned http_status) {
  run.record.state = state;
  run.record.error = std::move(error);
  run.record.http_status = http_status;
  run.record = standing(run);
  return next_after_writing(std::move(run), ClipStep::end);
}

// The successor of the clip that is served has ended; the clip is served.
Reaction end_successor(ClipRun &&run, ClipState state, std::string error, unsigned http_status) {
  ClipRecord ended = *run.found;
  ended.identity = run.record.identity;
  run.record = std::move(ended);
  Reaction reaction = end_task(std::move(run), state, std::move(error), http_status);
  reaction.run.found = reaction.run.record;
  reaction.run.step = ClipStep::serve;
  return reaction;
}

// ---- The events that answer a step.

Reaction answer(ClipRun &&run, const TurnBegins &turn) {
  run.found = turn.found;
  run.is_news = turn.is_news;
  run.first_whole = turn.first_whole;
  return plan(std::move(run));
}

// A stored clip without its file is a paid task whose clip is not here.
Reaction answer(ClipRun &&run, const WholeClipMissing &) {
  if (run.found->state == ClipState::complete) {
    run.found->state = run.found->task_id.empty() ? ClipState::refused : ClipState::submitted;
    run.found->clip_name.clear();
  } else {
    add_task(run.found->unfetched_tasks, run.found->replaced->task_id);
    run.found->replaced.reset();
  }
  return plan(std::move(run));
}

Reaction answer(ClipRun &&run, const TaskKnown &task) {
  run.is_unheard_of = false;
  if (run.step == ClipStep::ask) return follow_unfetched(std::move(run));
  if (run.step != ClipStep::look) return next(std::move(run), ClipStep::follow);
  if (!task.is_done) return next(std::move(run), ClipStep::serve);
  return follow_unfetched(std::move(run));
}

Reaction answer(ClipRun &&run, const TaskFailed &task) {
  if (run.step == ClipStep::look) return end_successor(std::move(run), ClipState::failed, task.message, 0);
  if (run.step != ClipStep::ask) return end_task(std::move(run), ClipState::failed, task.message, 0);
  std::erase(run.found->unfetched_tasks, run.asked);
  add_task(run.found->earlier_tasks, run.asked);
  if (run.found->state == ClipState::lost && run.found->task_id == run.asked)
    run.found->state = ClipState::failed;
  return ask_or_submit(std::move(run));
}

Reaction answer(ClipRun &&run, const TaskUnknown &task) {
  if (run.step == ClipStep::look) {
    Reaction reaction = end_successor(std::move(run), ClipState::lost, task.error, task.http_status);
    reaction.warnings.push_back(ClipWarning::successor_is_unknown);
    return reaction;
  }
  if (run.step == ClipStep::ask) {
    run.unknown.push_back(run.asked);
    // The run that this one waited for has just lost it. That is reported before anything is paid.
    return run.is_news ? next(std::move(run), ClipStep::end) : ask_or_submit(std::move(run));
  }
  if (run.is_unheard_of) return next(std::move(run), ClipStep::end);
  return end_task(std::move(run), ClipState::lost, task.error, task.http_status);
}

// This tells nothing, so nothing is written and nothing is paid.
Reaction answer(ClipRun &&run, const TaskUnreachable &) {
  const ClipStep step = run.step == ClipStep::look ? ClipStep::serve : ClipStep::end;
  return next(std::move(run), step);
}

Reaction answer(ClipRun &&run, const SubmitAccepted &task) {
  run.has_paid = true;
  run.record.state = ClipState::submitted;
  run.record.task_id = task.task_id;
  run.record.error.clear();
  run.record.http_status = 0;
  return next_after_writing(std::move(run), ClipStep::follow);
}

// Nothing has changed at the service, so the journal says again what it said before.
Reaction answer(ClipRun &&run, const SubmitRefused &refusal) {
  const bool says_more =
      run.found && run.found->state != ClipState::refused && run.found->state != ClipState::failed;
  run.record = says_more ? *run.found : run.attempt;
  if (!says_more) run.record.state = ClipState::refused;
  if (run.record.state == ClipState::intent) run.record.state = ClipState::ambiguous;
  run.record.identity = run.attempt.identity;
  if (!says_more || is_refusal_of_request(refusal.http_status)) {
    run.record.error = refusal.error;
    run.record.http_status = refusal.http_status;
  }
  return next_after_writing(std::move(run), ClipStep::end);
}

Reaction answer(ClipRun &&run, const SubmitUnanswered &doubt) {
  run.record.state = ClipState::ambiguous;
  run.record.error = doubt.error;
  run.record.http_status = doubt.http_status;
  return next_after_writing(std::move(run), ClipStep::end);
}

Reaction answer(ClipRun &&run, const SubmitRetried &) {
  run.record = run.attempt;
  return next_after_writing(std::move(run), ClipStep::submit);
}

// Settles tasks that stayed unknown while this clip was paid, with a warning, and fetched.
Reaction answer(ClipRun &&run, const ClipFetched &) {
  if (!run.has_paid) return next(std::move(run), ClipStep::end);
  for (const std::string &id : run.unknown) std::erase(run.record.unfetched_tasks, id);
  return next(std::move(run), ClipStep::end);
}

}  // namespace

Reaction react(ClipRun run, const ClipEvent &event) {
  return std::visit([&](const auto &happened) { return answer(std::move(run), happened); }, event);
}

std::shared_ptr<const ClipRecord> whole_clip_of(const ClipRecord &record) {
  return record.state == ClipState::complete ? std::make_shared<const ClipRecord>(record) : record.replaced;
}

std::shared_ptr<const ClipRecord> served_without_turn(const ClipRecord &record, const RunWish &wish,
                                                      bool is_news, const std::string &first_whole) {
  auto whole = whole_clip_of(record);
  if (!whole) return nullptr;
  const bool is_named = wish.task_id.empty() || whole->task_id == wish.task_id;
  // Without `reuse`, only a clip that arrived while this run waited counts.
  const bool is_new = is_news && record.state == ClipState::complete && whole->task_id != first_whole;
  return is_named && (wish.reuse || is_new) ? whole : nullptr;
}

std::vector<std::string> unfetched_tasks_of(const ClipRecord &record) {
  std::vector<std::string> tasks = record.unfetched_tasks;
  if (record.state == ClipState::submitted || record.state == ClipState::lost)
    add_task(tasks, record.task_id);
  return tasks;
}

uint64_t unanswered_submits_of(const ClipRecord &record) {
  // The run that paid for a whole clip has given its warnings already.
  if (record.state == ClipState::complete) return record.unanswered_submits - record.warned_submits;
  const bool is_open = record.state == ClipState::intent || record.state == ClipState::ambiguous;
  return record.unanswered_submits + (is_open ? 1 : 0);
}

Claim claim_of(const ClipRecord &record, bool reuse) {
  const bool is_whole = whole_clip_of(record) != nullptr;
  if (record.state == ClipState::submitted || (is_whole && reuse)) return Claim::clip;
  if (!unfetched_tasks_of(record).empty()) return Claim::unfetched;
  if (unanswered_submits_of(record) > 0) return Claim::unanswered;
  return is_whole ? Claim::replaced : Claim::none;
}

bool is_refusal_of_request(unsigned http_status) {
  constexpr unsigned kOfKeyOrMoment[] = {401, 402, 403, 407, 408, 425, 429};
  return http_status >= 300 && http_status < 500 &&
         std::find(std::begin(kOfKeyOrMoment), std::end(kOfKeyOrMoment), http_status) ==
             std::end(kOfKeyOrMoment);
}

ClipRecord completed(ClipRecord record) {
  record.state = ClipState::complete;
  record.status.clear();
  record.error.clear();
  record.http_status = 0;
  record.replaced.reset();
  std::erase(record.unfetched_tasks, record.task_id);
  const uint64_t restarts = record.part.restarts;  // Readers in other processes compare it with the last one.
  record.part = PartState{};
  record.part.restarts = restarts;
  return record;
}

}  // namespace genclip
