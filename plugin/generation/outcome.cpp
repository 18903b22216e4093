// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/outcome.h"

#include <algorithm>

#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

constexpr char kHowToSubmitAgain[] =
    "To submit it again nevertheless, run genclip generate with the same request, and without --on-unknown "
    "fail.";

// Of a run that can do nothing about what it found.
Outcome of_journal(ClipState state) {
  switch (state) {
    case ClipState::submitted: return Outcome::running;
    case ClipState::intent:
    case ClipState::ambiguous:
    case ClipState::lost: return Outcome::unknown;
    default: return Outcome::not_submitted;
  }
}

Outcome of_turn(const ClipRun &run) {
  switch (run.step) {
    case ClipStep::follow: return Outcome::running;
    case ClipStep::share_failure: return Outcome::failed;
    case ClipStep::share_doubt:
    case ClipStep::stay_in_doubt: return Outcome::unknown;
    case ClipStep::share_refusal: return Outcome::refused;
    case ClipStep::need_key: return run.found ? of_journal(run.found->state) : Outcome::not_submitted;
    default: return Outcome::not_submitted;
  }
}

struct AfterEvent {
  Outcome outcome;
  const ClipRun &before;
  const ClipRun &run;

  bool follows() const { return before.step == ClipStep::follow; }

  Outcome operator()(const TurnBegins &) const { return of_turn(run); }
  Outcome operator()(const WholeClipMissing &) const { return of_turn(run); }
  Outcome operator()(const SubmitAccepted &) const { return Outcome::running; }
  Outcome operator()(const SubmitRefused &refusal) const {
    return refusal.http_status == 0 ? Outcome::not_submitted : Outcome::refused;
  }
  Outcome operator()(const SubmitUnanswered &) const { return Outcome::unknown; }
  Outcome operator()(const SubmitRetried &) const { return Outcome::not_submitted; }
  Outcome operator()(const TaskKnown &task) const {
    if (!follows()) return of_turn(run);
    return task.is_done || outcome == Outcome::paid_unfetched ? Outcome::paid_unfetched : Outcome::running;
  }
  Outcome operator()(const TaskFailed &) const { return follows() ? Outcome::failed : of_turn(run); }
  Outcome operator()(const TaskUnknown &) const {
    // It was completed once, and is charged.
    if (follows() && outcome == Outcome::paid_unfetched) return outcome;
    const bool is_nobodys = follows() && before.is_unheard_of;
    // After `ask` the run may go on to another task, or submit.
    if (is_nobodys || run.step == ClipStep::ask || run.step == ClipStep::submit)
      return Outcome::not_submitted;
    return Outcome::unknown;
  }
  // The service does not answer about a task that was submitted once.
  Outcome operator()(const TaskUnreachable &) const { return Outcome::running; }
  Outcome operator()(const ClipFetched &) const { return Outcome::paid_unfetched; }
};

bool is_refusal_for_now(unsigned http_status) {
  // 402: the account has no credits left, which may change as a budget does.
  constexpr unsigned kForNow[] = {402, 408, 425, 429, 503};
  return std::find(std::begin(kForNow), std::end(kForNow), http_status) != std::end(kForNow);
}

bool may_pass(const Error &error) {
  switch (error.kind) {
    case ErrorKind::not_authorized: return is_spent_budget(error);
    case ErrorKind::settings:
    case ErrorKind::not_found:
    case ErrorKind::wrong_type: return false;
    default: return true;
  }
}

}  // namespace

Outcome outcome_after(Outcome outcome, const ClipRun &before, const ClipEvent &event, const ClipRun &run) {
  return std::visit(AfterEvent{outcome, before, run}, event);
}

RunEnding ending_of(Outcome outcome, const Error &error, double amount) {
  switch (outcome) {
    case Outcome::not_submitted: return {outcome, Charged::no, may_pass(error)};
    case Outcome::refused: return {outcome, Charged::no, is_refusal_for_now(error.http_status)};
    case Outcome::unknown: return {outcome, Charged::maybe, false};
    case Outcome::running: return {outcome, Charged::yes, true};
    case Outcome::failed: {
      const Charged charged = amount < 0 ? Charged::maybe : amount > 0 ? Charged::yes : Charged::no;
      return {outcome, charged, charged == Charged::no};
    }
    case Outcome::paid_unfetched: return {outcome, Charged::yes, true};
    case Outcome::stored: return {outcome, Charged::yes, true};
  }
  return {};
}

// A limit of a time, which passes, or of all time, which somebody may raise.
bool is_spent_budget(const Error &error) {
  const auto is_spent = [](const ErrorDetail &detail) {
    const auto *limit = std::get_if<std::string>(&detail.value);
    return detail.name == "budget" && limit && *limit != "max-amount" && *limit != "per-clip";
  };
  return std::any_of(error.details.begin(), error.details.end(), is_spent);
}

Error with_ending(Error error, const RunEnding &ending) {
  for (const ErrorDetail &detail : error.details)
    if (detail.name == "outcome") return error;
  error.details.push_back({"outcome", std::string(to_word(ending.outcome))});
  error.details.push_back({"charged", std::string(to_word(ending.charged))});
  // An error that knows better has said so.
  if (std::none_of(error.details.begin(), error.details.end(),
                   [](const ErrorDetail &detail) { return detail.name == "retry"; }))
    error.details.push_back({"retry", ending.retry});
  return error;
}

Error unknown_submit(int64_t submitted_at) {
  const std::string at =
      submitted_at > 0 ? " at " + utc_text(std::chrono::system_clock::from_time_t(submitted_at)) : "";
  return {ErrorKind::read,
          "An earlier run submitted this request" + at +
              " and never learned whether it was accepted. It may have been charged, so it is not submitted "
              "again. Look into the account at the service: if there is a task of that time, set task-id to "
              "its ID. " +
              kHowToSubmitAgain};
}

std::string unknown_tasks_text(const std::vector<std::string> &ids) {
  std::string list;
  for (const std::string &id : ids) list += (list.empty() ? "" : ", ") + id;
  return "The service does not know the " + std::string(ids.size() > 1 ? "tasks " : "task ") + list +
         " of this request any more";
}

Error unknown_tasks(const std::vector<std::string> &ids) {
  Error error{ErrorKind::not_found,
              unknown_tasks_text(ids) + ". " + (ids.size() > 1 ? "They were" : "It was") +
                  " charged, so the request is not submitted again. " + kHowToSubmitAgain};
  error.task_id = ids.back();
  return error;
}

bool is_without_task(const Error &error) {
  return std::none_of(error.details.begin(), error.details.end(), [](const ErrorDetail &detail) {
    const auto *outcome = std::get_if<std::string>(&detail.value);
    return detail.name == "outcome" && outcome && *outcome != to_word(Outcome::not_submitted) &&
           *outcome != to_word(Outcome::refused);
  });
}

Error with_charge(Error error) {
  for (ErrorDetail &detail : error.details)
    if (detail.name == "charged" && detail.value == decltype(detail.value)(std::string(to_word(Charged::no))))
      detail.value = std::string(to_word(Charged::yes));
  return error;
}

}  // namespace genclip
