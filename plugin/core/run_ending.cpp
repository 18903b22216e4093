// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/core/run_ending.h"

#include <algorithm>

#include "plugin/base/shown_text.h"
#include "plugin/base/utc_time.h"
#include "plugin/store/clip_cost.h"

namespace genclip {
namespace {

constexpr char kHowToSubmitAgain[] =
    "To submit it again nevertheless, run genclip generate with the same request, and without --on-unknown "
    "fail.";

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

bool is_refusal_of_request(unsigned http_status) {
  constexpr unsigned kOfKeyOrMoment[] = {401, 402, 403, 407, 408, 425, 429};
  return http_status >= 300 && http_status < 500 &&
         std::find(std::begin(kOfKeyOrMoment), std::end(kOfKeyOrMoment), http_status) ==
             std::end(kOfKeyOrMoment);
}

// A limit of a time, which passes, or of all time, which somebody may raise. A budget.json that cannot be
// read is no limit: running again does not help until a person has mended it.
bool is_spent_budget(const Error &error) {
  const auto is_spent = [](const ErrorDetail &detail) {
    const auto *limit = std::get_if<std::string>(&detail.value);
    return detail.name == "budget" && limit && *limit != "max-amount" && *limit != "per-clip" &&
           *limit != "budget.json";
  };
  return std::any_of(error.details.begin(), error.details.end(), is_spent);
}

std::optional<UtcTime> reset_of(const Error &error) {
  for (const ErrorDetail &detail : error.details)
    if (const auto *time = std::get_if<std::string>(&detail.value); detail.name == "resets" && time)
      return utc_time(*time);
  return std::nullopt;
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

std::string time_of_submit(int64_t submitted_at) {
  if (submitted_at <= 0) return "";
  return " at " + utc_text(std::chrono::system_clock::time_point(std::chrono::seconds(submitted_at)));
}

Error unknown_submit(int64_t submitted_at) {
  return {ErrorKind::read,
          "An earlier run submitted this request" + time_of_submit(submitted_at) +
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
  // Of one that was completed, too.
  error.details.push_back({"retry", false});
  return error;
}

std::string failed_tasks_text(const std::vector<FailedTask> &tasks) {
  std::string text;
  for (const FailedTask &task : tasks) {
    text += (text.empty() ? "" : " ") + ("The task " + task.id + " of this request ");
    if (task.was_completed)
      text += "was completed and is paid for" + (task.amount < 0 ? "" : " (" + cost_text(task.amount) + ")") +
              ", but the service now reports that it failed.";
    else
      text += "has failed, and " +
              (task.amount < 0 ? "may have been charged." : "has cost " + cost_text(task.amount) + ".");
    text += it_says(task.message);
  }
  return text;
}

Error undelivered_tasks(const std::vector<FailedTask> &tasks) {
  Error error{ErrorKind::failed,
              failed_tasks_text(tasks) + " The request is not submitted again. " + kHowToSubmitAgain};
  error.task_id = tasks.back().id;
  error.service_message = tasks.back().message;
  error.details.push_back({"retry", false});
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
    if (detail.name == "charged") detail.value = std::string(to_word(Charged::yes));
  return error;
}

}  // namespace genclip
