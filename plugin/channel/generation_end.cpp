// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/generation_end.h"

#include <algorithm>

#include "plugin/account/decision.h"

namespace genclip {
namespace {

template <typename T>
const T *detail_of(const Error &error, const char *name) {
  for (const ErrorDetail &detail : error.details)
    if (detail.name == name) return std::get_if<T>(&detail.value);
  return nullptr;
}

double number_of(const Error &error, const char *name, double otherwise) {
  const double *number = detail_of<double>(error, name);
  return number ? *number : otherwise;
}

Outcome outcome_of(const Error &error) {
  const auto *word = detail_of<std::string>(error, "outcome");
  return word ? from_word<Outcome>(*word).value_or(Outcome::not_submitted) : Outcome::not_submitted;
}

// When a limit of that name begins anew; nothing: never.
std::optional<UtcTime> reset_of(const std::string &budget, UtcTime now) {
  const UtcDay today = day_of(now);
  if (budget == "per-month") return UtcTime(next_month(month_of(today)));
  if (budget == "per-day" || budget == "tasks-per-day") return UtcTime(today + std::chrono::days(1));
  return std::nullopt;
}

bool is_of_tasks(const std::string &budget) { return budget.starts_with("tasks"); }

std::optional<Halt> spent_budget(const Error &error, const std::string &budget, UtcTime now) {
  Halt halt;
  halt.notice.unit = is_of_tasks(budget) ? "tasks" : "credits";
  halt.notice.limit = number_of(error, "limit", 0);
  halt.notice.spent = number_of(error, "spent", 0);
  halt.notice.reserved = number_of(error, "reserved", 0);
  halt.notice.resumes = reset_of(budget, now);
  halt.notice.text = error.text;
  halt.estimate = number_of(error, "estimate", -1);
  return halt;
}

// Other refusals may be about this request alone.
std::optional<Halt> refused_key(const Error &error, Outcome outcome, const std::string &no_key) {
  const bool lacks_key = !no_key.empty() && error.text.ends_with(no_key);
  const bool asked = outcome == Outcome::refused || outcome == Outcome::running;
  const bool is_refused = asked && (error.http_status == 401 || error.http_status == 402);
  if (!lacks_key && !is_refused) return std::nullopt;
  Halt halt;
  halt.notice.is_key = true;
  halt.notice.text = error.text;
  halt.notice.lacks_credits = !lacks_key && error.http_status == 402;
  halt.bars_queries = !halt.notice.lacks_credits;
  return halt;
}

}  // namespace

bool is_limit_of_clip(const std::string &budget, double estimate, double limit) {
  if (budget == "max-amount" || budget == "per-clip") return true;
  return budget != "budget.json" && !is_of_tasks(budget) && !fits(estimate, limit);
}

bool is_same_reason(const Halt &halted, const Halt &later) {
  const bool is_key_behind_credits = halted.notice.lacks_credits && !later.notice.lacks_credits;
  return halted.notice.is_key == later.notice.is_key && !(later.notice.is_key && is_key_behind_credits);
}

GenerationEnd generation_end(const Error &error, const std::string &no_key, UtcTime now) {
  GenerationEnd end;
  end.outcome = outcome_of(error);
  const bool *retry = detail_of<bool>(error, "retry");
  end.may_pass = retry && *retry;
  end.is_full = error.kind == ErrorKind::no_space_left;
  end.text = error.text;
  if (const auto *budget = detail_of<std::string>(error, "budget")) {
    end.is_too_dear =
        is_limit_of_clip(*budget, number_of(error, "estimate", -1), number_of(error, "limit", 0));
    // A limit of a time passes, but not for this clip.
    end.may_pass = end.may_pass && !end.is_too_dear;
    if (!end.is_too_dear) end.halt = spent_budget(error, *budget, now);
    return end;
  }
  end.halt = refused_key(error, end.outcome, no_key);
  end.is_nowhere = !end.halt && end.outcome == Outcome::not_submitted && error.kind == ErrorKind::not_found;
  return end;
}

}  // namespace genclip
