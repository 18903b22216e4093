// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One function for each event, with all that follows of it.
#include "plugin/core/clip_run.h"

#include <algorithm>

#include "plugin/core/clip_turn.h"

namespace genclip {
namespace {

// Of the task that is followed.
bool take_news(ClipRun &run, const TaskNews &news) {
  // Only the service knows the model of a task that the user named.
  if (!run.wish.task_id.empty() && !news.model.empty()) run.record.model = news.model;
  const bool is_new = take_news(run.record, news);
  if (!news.odd_amount.empty()) run.odd_amount = news.odd_amount;
  if (run.record.amount >= 0) {
    run.amount = run.record.amount;
    run.odd_amount.clear();
  }
  // The task's cost is that of its first result.
  if (run.wish.result > 1) run.record.amount = -1;
  return is_new;
}

// ---- The ledger's lines.

LedgerEntry line_of(const ClipRun &run, LedgerEvent event, const ClipRecord &task) {
  LedgerEntry entry;
  entry.event = event;
  entry.task_id = task.task_id;
  entry.amount = told(task.amount);
  // This store has reserved nothing for a task that somebody named, in this run or in an earlier one.
  entry.attached = !run.wish.task_id.empty() || task.reserved_at.empty();
  if (entry.attached) entry.model = task.model;
  return entry;
}

// Of this run's submit, which has no task.
LedgerEntry line_of_submit(LedgerEvent event) {
  LedgerEntry entry;
  entry.event = event;
  return entry;
}

LedgerEntry release_line(std::string why) {
  LedgerEntry entry = line_of_submit(LedgerEvent::release);
  entry.why = std::move(why);
  return entry;
}

LedgerEntry settled(const ClipRun &run, const ClipRecord &task, const char *status) {
  LedgerEntry entry = line_of(run, LedgerEvent::settle, task);
  entry.status = status;
  entry.actual_duration = told(task.actual_duration);
  return entry;
}

LedgerEntry completed_line(const ClipRun &run, const ClipRecord &task) {
  LedgerEntry entry = settled(run, task, "completed");
  // The record of a further result has none.
  if (run.wish.result > 1) entry.amount = told(run.amount);
  if (run.waited) {
    entry.waited = run.waited->seconds;
    entry.waited_error = run.waited->error;
  }
  return entry;
}

LedgerEntry line_of_fetch(const ClipRun &run, LedgerEvent event, const ClipRecord &task) {
  LedgerEntry entry = line_of(run, event, task);
  entry.amount.reset();
  return entry;
}

// The service is asked again and again while a clip is fetched.
void settle(Reaction &reaction, LedgerEntry entry) {
  if (reaction.run.settled == entry) return;
  reaction.run.settled = entry;
  reaction.ledger.push_back(std::move(entry));
}

// A price that is told before the task has ended counts from then on.
void tell_amount(Reaction &reaction, const ClipRecord &task, double known_before) {
  LedgerEntry entry = line_of(reaction.run, LedgerEvent::submitted, task);
  if (task.amount != known_before && !entry.attached) reaction.ledger.push_back(std::move(entry));
}

// What is known of the task that a query was about.
ClipRecord asked_task(const ClipRun &run, const TaskNews &news = {}) {
  ClipRecord task;
  task.task_id = run.asked;
  task.reserved_at = "unknown";  // Most are the store's own.
  for (const ClipRecord *record = run.found ? &*run.found : nullptr; record; record = record->replaced.get())
    if (record->task_id == run.asked) task = *record;
  for (const OpenTask &open : run.open)
    if (open.id == run.asked && open.amount >= 0) task.amount = open.amount;
  take_quantities(task, news);
  return task;
}

// Notes, for the journal and the ledger, what an answer says of this task. `known_before`: the amount that
// was known before the answer.
void tell(Reaction &reaction, ClipRecord &task, const TaskNews &news, double known_before) {
  const bool is_completed = news.status == ClipStatus::completed;
  // Should its folder be removed before the clip is stored, the ledger alone names the task.
  if (is_completed && !was_completed(task, task.task_id)) {
    add_task(task.completed_tasks, task.task_id);
    reaction.write = true;
    reaction.ledger.push_back(line_of_fetch(reaction.run, LedgerEvent::unfetched, task));
  }
  if (is_completed)
    settle(reaction, completed_line(reaction.run, task));
  else
    tell_amount(reaction, task, known_before);
}

// ---- What observers see.

ClipView view_of(const ClipRun &run) {
  const ClipRecord &record = run.record;
  ClipView view;
  view.model = record.model;
  if (run.step == ClipStep::submit) {
    if (run.is_submitting) view.status = ClipStatus::submitting;
    return view;
  }
  view.status = from_word<ClipStatus>(record.status).value_or(ClipStatus::queued);
  view.progress = record.progress;
  view.task_id = record.task_id;
  view.amount = run.amount;
  view.actual_duration = record.actual_duration;
  view.reused = !run.has_paid;
  view.charged = true;
  view.completed = was_completed(run);
  return view;
}

// ---- What a run does.

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

// The outcome of a run that ends before its step is answered.
Outcome outcome_of_step(const ClipRun &run) {
  switch (run.step) {
    case ClipStep::follow: return was_completed(run) ? Outcome::paid_unfetched : Outcome::running;
    case ClipStep::share_failure: return Outcome::failed;
    case ClipStep::stay_in_doubt:
      if (is_undelivered(run)) return Outcome::paid_unfetched;
      [[fallthrough]];
    case ClipStep::share_doubt: return Outcome::unknown;
    case ClipStep::share_refusal: return Outcome::refused;
    case ClipStep::need_key: break;
    default: return Outcome::not_submitted;
  }
  if (!run.found) return Outcome::not_submitted;
  if (was_completed(*run.found, run.found->task_id)) return Outcome::paid_unfetched;
  switch (run.found->state) {
    case ClipState::submitted: return Outcome::running;
    case ClipState::intent:
    case ClipState::ambiguous:
    case ClipState::lost: return Outcome::unknown;
    default: return Outcome::not_submitted;
  }
}

// The record's task has failed, and no run that has paid again has told what it has cost.
bool failed_at_a_cost(const ClipRecord &record) {
  return (record.state == ClipState::failed || record.state == ClipState::refused) && record.amount > 0;
}

// A journal of an older version, or what is left of a damaged one, does not tell it.
void note_completed(ClipRecord &found, const OpenCharges &open) {
  for (const std::string &id : unfetched_tasks_of(found))
    if (std::ranges::any_of(open.tasks,
                            [&](const OpenTask &task) { return task.id == id && task.was_completed; }))
      add_task(found.completed_tasks, id);
}

Reaction with_outcome(Reaction reaction, Outcome outcome) {
  reaction.run.outcome = outcome;
  return reaction;
}

Reaction with_outcome_of_step(Reaction reaction) {
  const Outcome outcome = outcome_of_step(reaction.run);
  // A whole clip's record has that clip's amount, not that of the task that was to replace it.
  if (outcome == Outcome::failed && reaction.run.found->state == ClipState::failed)
    reaction.run.amount = reaction.run.found->amount;
  return with_outcome(std::move(reaction), outcome);
}

// The clip of a paid task is lost. If the run that this one waited for has just lost it, that is reported
// before anything is paid.
Reaction go_on_without(ClipRun &&run) {
  return run.is_news ? next(std::move(run), ClipStep::end) : ask_or_submit(std::move(run));
}

// ---- The events that answer a step.

Reaction answer(ClipRun &&run, const TurnBegins &turn) {
  const OpenCharges &open = turn.open;
  run.found = turn.found;
  run.open = open.tasks;
  if (run.wish.reuse) run.paid_before = open.stored;
  if (run.found) note_completed(*run.found, open);
  run.is_of_ledger = !turn.found && !open.is_empty();
  if (run.is_of_ledger) run.found = record_of(run, open);
  run.is_news = turn.is_news;
  run.first_whole = turn.first_whole;
  // An earlier run has ended with it. What it has cost is paid again by a submit.
  if (run.found && failed_at_a_cost(*run.found))
    run.failed.push_back({run.found->task_id, run.found->state == ClipState::failed ? run.found->error : "",
                          run.found->amount, false});
  Reaction reaction = with_outcome_of_step(plan(std::move(run)));
  // Whatever becomes of this run, the next one finds a folder, and must find this in it. (A task that
  // somebody named is journalled once the service knows it, with all of this.)
  if (reaction.run.is_of_ledger && reaction.run.step != ClipStep::follow) {
    reaction.run.record = *reaction.run.found;
    reaction.write = true;
  }
  return reaction;
}

// A stored clip without its file is a paid task whose clip is not here.
Reaction answer(ClipRun &&run, const WholeClipMissing &) {
  const std::shared_ptr<const ClipRecord> whole = run.whole;
  add_task(run.found->completed_tasks, whole->task_id);
  if (run.found->state == ClipState::complete) {
    run.found->state = run.found->task_id.empty() ? ClipState::refused : ClipState::submitted;
    run.found->clip_name.clear();
  } else {
    add_task(run.found->unfetched_tasks, run.found->replaced->task_id);
    run.found->replaced.reset();
  }
  Reaction reaction = plan(std::move(run));
  // The ledger still says that it is stored. A run without a key changes nothing, not even that.
  if (reaction.run.wish.has_key && !whole->task_id.empty()) {
    reaction.ledger.push_back(line_of_fetch(reaction.run, LedgerEvent::unfetched, *whole));
    reaction.tells_first = true;
  }
  // Should this run pay for nothing, the journal would name for ever a clip that is not there. (A named task
  // is journalled once the service knows it.)
  const ClipStep step = reaction.run.step;
  const bool is_written_later = reaction.write || step == ClipStep::submit || step == ClipStep::follow;
  if (reaction.run.wish.has_key && !is_written_later) {
    const ClipIdentity identity = reaction.run.record.identity;
    reaction.run.record = *reaction.run.found;
    reaction.run.record.identity = identity;
    reaction.write = true;
  }
  return with_outcome_of_step(std::move(reaction));
}

// The clip is served, and its successor goes on at the service.
Reaction serve_before(ClipRun &&run, const TaskNews &news) {
  const double known_before = run.found->amount;
  const bool is_new = take_quantities(*run.found, news);
  Reaction reaction = next(std::move(run), ClipStep::serve);
  ClipRecord &successor = *reaction.run.found;
  reaction.write = is_new;
  if (is_new || news.status == ClipStatus::completed) tell(reaction, successor, news, known_before);
  if (!reaction.write) return reaction;
  const ClipIdentity identity = reaction.run.record.identity;
  reaction.run.record = successor;
  reaction.run.record.identity = identity;
  return reaction;
}

Reaction answer(ClipRun &&run, const TaskKnown &task) {
  // From now on the journal has the named task.
  const bool displaces = std::exchange(run.is_unheard_of, false) && !displaced_tasks(run).empty();
  if (run.step == ClipStep::look && !task.has_clip)
    return with_outcome_of_step(serve_before(std::move(run), task.news));
  const bool follows = run.step == ClipStep::follow;
  Reaction reaction = follows ? next(std::move(run), ClipStep::follow) : follow_unfetched(std::move(run));
  ClipRun &now = reaction.run;
  const double known_before = now.record.amount;
  if (take_news(now, task.news)) reaction.write = true;
  if (task.waited) now.waited = task.waited;
  if (displaces) reaction.warnings.push_back(ClipWarning::tasks_displaced);
  tell(reaction, now.record, task.news, known_before);
  return with_outcome_of_step(std::move(reaction));
}

// A failure takes back nothing of what a completed task has cost. Only the first amount is news.
TaskNews believed(TaskNews news, double known) {
  if (known >= 0 || news.amount <= 0) news.amount = -1;
  return news;
}

// What was completed once is paid, whatever the service says later: its clip is lost, as that of a task that
// the service does not know any more, and the next run asks once more before it pays.
Reaction end_undelivered(ClipRun &&run, const TaskFailed &task) {
  std::optional<LedgerEntry> late;
  if (take_news(run, believed(task.news, run.record.amount))) late = completed_line(run, run.record);
  const ClipView view = view_of(run);
  Reaction reaction = end_task(std::move(run), ClipState::lost, task.message, 0);
  if (late) settle(reaction, std::move(*late));
  reaction.view = view;
  return with_outcome(std::move(reaction), Outcome::paid_unfetched);
}

Reaction answer(ClipRun &&run, const TaskFailed &task) {
  if (run.step == ClipStep::follow) {
    if (was_completed(run)) return end_undelivered(std::move(run), task);
    take_news(run, task.news);
    const ClipView view = view_of(run);
    LedgerEntry entry = settled(run, run.record, "failed");
    Reaction reaction = end_task(std::move(run), ClipState::failed, task.message, 0);
    settle(reaction, std::move(entry));
    reaction.view = view;
    return with_outcome(std::move(reaction), Outcome::failed);
  }
  const bool is_paid = was_completed(*run.found, run.asked);
  const TaskNews news = is_paid ? believed(task.news, asked_task(run).amount) : task.news;
  const ClipRecord asked = asked_task(run, news);
  LedgerEntry entry = settled(run, asked, is_paid ? "completed" : "failed");
  if (is_paid || asked.amount != 0) run.failed.push_back({run.asked, task.message, asked.amount, is_paid});
  Reaction reaction;
  if (run.step == ClipStep::look) {
    take_quantities(*run.found, news);
    reaction = end_successor(std::move(run), is_paid ? ClipState::lost : ClipState::failed, task.message, 0);
    if (!reaction.run.failed.empty()) reaction.warnings.push_back(ClipWarning::successor_failed);
  } else if (is_paid) {
    reaction = go_on_without(std::move(run));
  } else {
    // What may have cost something stays in the journal until a run has paid again, with a warning of it.
    if (asked.amount == 0) {
      std::erase(run.found->unfetched_tasks, run.asked);
      add_task(run.found->earlier_tasks, run.asked);
      if (run.found->state == ClipState::lost && run.found->task_id == run.asked)
        run.found->state = ClipState::failed;
    }
    reaction = ask_or_submit(std::move(run));
  }
  if (!is_paid || news.amount > 0) settle(reaction, std::move(entry));
  if (reaction.run.step == ClipStep::end) return with_outcome(std::move(reaction), Outcome::paid_unfetched);
  return with_outcome_of_step(std::move(reaction));
}

Reaction answer(ClipRun &&run, const TaskUnknown &task) {
  // Only the user has called it a task of this request, so nothing is journalled. If it is another clip's,
  // that clip's runs do that.
  if (run.step == ClipStep::follow && run.is_unheard_of) {
    const Outcome outcome = was_completed(run) ? Outcome::paid_unfetched : task.known.outcome;
    if (task.known.amount >= 0) run.amount = task.known.amount;
    return with_outcome(next(std::move(run), ClipStep::end), outcome);
  }
  const bool follows = run.step == ClipStep::follow;
  LedgerEntry entry = line_of(run, LedgerEvent::unknown, follows ? run.record : asked_task(run));
  Reaction reaction;
  Outcome outcome = Outcome::unknown;
  if (follows) {
    // It was completed once, and is charged.
    if (was_completed(run)) outcome = Outcome::paid_unfetched;
    reaction = end_task(std::move(run), ClipState::lost, task.error, task.http_status);
  } else if (run.step == ClipStep::look) {
    reaction = end_successor(std::move(run), ClipState::lost, task.error, task.http_status);
    reaction.warnings.push_back(ClipWarning::successor_is_unknown);
  } else {
    if (was_completed(*run.found, run.asked)) outcome = Outcome::paid_unfetched;
    run.unknown.push_back(run.asked);
    reaction = go_on_without(std::move(run));
    if (reaction.run.step != ClipStep::end) outcome = outcome_of_step(reaction.run);
  }
  reaction.ledger.push_back(std::move(entry));
  return with_outcome(std::move(reaction), outcome);
}

// The task is followed, or asked for, as before.
Reaction answer(ClipRun &&run, const CostTold &told) {
  const bool follows = run.step == ClipStep::follow;
  ClipRecord task = follows ? run.record : asked_task(run);
  const double known_before = task.amount;
  if (follows)
    take_news(run, told.news);
  else if (take_quantities(task, told.news))
    run.open.push_back({.id = run.asked, .amount = task.amount});
  if (follows) task = run.record;
  const ClipStep step = run.step;
  // A task of which nobody but the user has ever heard is not journalled.
  const bool may_write = follows && !run.is_unheard_of;
  Reaction reaction = next(std::move(run), step);
  if (task.amount == known_before) return reaction;
  reaction.write = may_write;
  if (was_completed(task, task.task_id))
    settle(reaction, completed_line(reaction.run, task));
  else
    tell_amount(reaction, task, known_before);
  return reaction;
}

// This tells nothing, so nothing is written and nothing is paid.
Reaction answer(ClipRun &&run, const TaskUnreachable &) {
  const ClipStep step = run.step == ClipStep::look ? ClipStep::serve : ClipStep::end;
  return with_outcome(next(std::move(run), step), Outcome::running);
}

Reaction answer(ClipRun &&run, const FetchBegins &) {
  run.record.status = to_word(ClipStatus::downloading);
  run.record.progress = 100;
  return next(std::move(run), ClipStep::follow);
}

// A paid clip that no other warning tells of. Where a line of the ledger is lost, that may call a clip stored
// which never was.
bool is_paid_before(const ClipRun &run) {
  if (!run.paid_before) return false;
  const std::string &id = run.paid_before->id;
  return std::ranges::find(run.unknown, id) == run.unknown.end() &&
         std::ranges::find(run.failed, id, &FailedTask::id) == run.failed.end();
}

Reaction answer(ClipRun &&run, const SubmitBegins &submit) {
  run.is_submitting = true;
  run.record = run.attempt;
  run.record.submitted_at = submit.submitted_at;
  run.record.reserved_at = submit.reserved_at;
  run.record.references = submit.references;
  const bool is_first = !std::exchange(run.has_warned, true);
  Reaction reaction = next_after_writing(std::move(run), ClipStep::submit);
  if (is_first && reaction.run.record.unanswered_submits > 0)
    reaction.warnings.push_back(ClipWarning::unanswered_submits);
  if (is_first && !reaction.run.unknown.empty()) reaction.warnings.push_back(ClipWarning::unknown_tasks);
  if (is_first && !reaction.run.failed.empty()) reaction.warnings.push_back(ClipWarning::failed_tasks);
  if (is_first && is_paid_before(reaction.run)) reaction.warnings.push_back(ClipWarning::paid_before);
  return with_outcome(std::move(reaction), Outcome::unknown);
}

Reaction answer(ClipRun &&run, const SubmitAccepted &task) {
  run.is_submitting = false;
  run.has_paid = true;
  run.record.state = ClipState::submitted;
  run.record.task_id = task.task_id;
  run.record.error.clear();
  run.record.http_status = 0;
  take_news(run, task.news);
  Reaction reaction = next_after_writing(std::move(run), ClipStep::follow);
  const ClipRecord &record = reaction.run.record;
  // An earlier task is counted already, and a condensed account may know it no more.
  reaction.ledger.push_back(is_earlier_task(record, record.task_id)
                                ? release_line(kEarlierTask)
                                : line_of(reaction.run, LedgerEvent::submitted, record));
  return with_outcome_of_step(std::move(reaction));
}

// Nothing has changed at the service, so the journal says again what it said before.
Reaction answer(ClipRun &&run, const SubmitRefused &refusal) {
  run.is_submitting = false;
  const bool says_more =
      run.found && run.found->state != ClipState::refused && run.found->state != ClipState::failed;
  run.record.state = ClipState::refused;
  if (says_more) {
    run.record = *run.found;
  } else if (run.found) {
    // This run has warned of these, and has not paid. The run that pays does so again.
    run.record.unfetched_tasks = unfetched_tasks_of(*run.found);
    if (failed_at_a_cost(*run.found)) {
      run.record.task_id = run.found->task_id;
      run.record.amount = run.found->amount;
    }
  }
  if (run.record.state == ClipState::intent) run.record.state = ClipState::ambiguous;
  run.record.identity = run.attempt.identity;
  if (!says_more || is_refusal_of_request(refusal.http_status)) {
    run.record.error = refusal.error;
    run.record.http_status = refusal.http_status;
  }
  Reaction reaction =
      next_after_writing(std::move(run), refusal.is_sent_again ? ClipStep::submit : ClipStep::end);
  reaction.ledger.push_back(release_line(refusal.http_status == 0 ? "it was not sent"
                                                                  : "the service refused it with HTTP " +
                                                                        std::to_string(refusal.http_status)));
  if (refusal.is_sent_again)
    reaction.view = ClipView{.status = ClipStatus::submitting,
                             .model = reaction.run.record.model,
                             .sent_again_in = refusal.sent_again_in};
  return with_outcome(std::move(reaction),
                      refusal.http_status == 0 ? Outcome::not_submitted : Outcome::refused);
}

Reaction answer(ClipRun &&run, const SubmitUnanswered &doubt) {
  run.is_submitting = false;
  run.record.state = ClipState::ambiguous;
  run.record.error = doubt.error;
  run.record.http_status = doubt.http_status;
  take_quantities(run.record, doubt.news);
  run.amount = run.record.amount;
  run.odd_amount = doubt.news.odd_amount;
  Reaction reaction = next_after_writing(std::move(run), ClipStep::end);
  reaction.ledger.push_back(line_of_submit(LedgerEvent::unknown));
  reaction.ledger.back().amount = told(reaction.run.amount);
  return with_outcome(std::move(reaction), Outcome::unknown);
}

// Settles tasks that stayed unknown while this clip was paid, with a warning, and fetched.
Reaction answer(ClipRun &&run, const ClipFetched &) {
  if (run.wish.result > 1) run.record.amount = 0;
  std::vector<std::string> warned_of = run.unknown;
  for (const FailedTask &task : run.failed) warned_of.push_back(task.id);
  if (run.has_paid)
    for (const std::string &id : warned_of) {
      std::erase(run.record.unfetched_tasks, id);
      std::erase(run.record.completed_tasks, id);
    }
  return with_outcome(next(std::move(run), ClipStep::end), Outcome::paid_unfetched);
}

Reaction answer(ClipRun &&run, const ClipStored &) {
  run.record = completed(std::move(run.record));
  Reaction reaction = next(std::move(run), ClipStep::end);
  reaction.ledger.push_back(line_of_fetch(reaction.run, LedgerEvent::stored, reaction.run.record));
  return with_outcome(std::move(reaction), Outcome::stored);
}

}  // namespace

Reaction react(ClipRun run, const ClipEvent &event) {
  Reaction reaction =
      std::visit([&](const auto &happened) { return answer(std::move(run), happened); }, event);
  const bool is_shown = reaction.run.step == ClipStep::submit || reaction.run.step == ClipStep::follow;
  if (is_shown && !reaction.view) reaction.view = view_of(reaction.run);
  return reaction;
}

RunEnding ending_of(const ClipRun &run, const Error &error) {
  return ending_of(run.outcome, error, run.amount);
}

}  // namespace genclip
