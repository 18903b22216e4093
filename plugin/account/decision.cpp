// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Limits of one clip first. Of those of a time the longest comes first: that the day ends soon is no comfort
// when all is spent.
#include "plugin/account/decision.h"

#include "plugin/account/task_slots.h"
#include "plugin/base/number.h"

namespace genclip {
namespace {

// Sums of credits are rounded: 0.1 + 0.2 fits into 0.3.
constexpr double kSlack = 1e-6;

std::string credits(double amount) { return counted(amount_text(amount), "credit"); }

std::string credits_are(double amount) { return credits(amount) + (amount == 1 ? " is " : " are "); }

std::string minute_text(UtcTime time) {
  std::string text = utc_text(time).substr(0, 16);
  text[10] = ' ';
  return text + " UTC";
}

// The clip's price as far as it is known.
struct Price {
  std::optional<double> amount;  // Credits; none: nobody knows, and nothing is assumed.
  bool is_assumed = false;

  std::string clause() const {
    if (!amount) return "what this clip will cost is not known yet";
    return std::string("this clip may cost ") + credits(*amount) + (is_assumed ? " (the assumed price)" : "");
  }
};

Price price_of(const Budget &budget, const std::optional<Estimate> &estimate) {
  if (estimate) return {estimate->high, false};
  if (budget.assumed_price > 0) return {budget.assumed_price, true};
  return {};
}

Decision refusal(std::string budget, double limit, const Price &price) {
  Decision decision;
  decision.verdict = Verdict::refuse;
  decision.budget = std::move(budget);
  decision.limit = limit;
  decision.estimate = price.amount.value_or(-1);
  return decision;
}

std::string raising(const std::string &option) {
  return "raise the limit with: genclip budget set " + option + " N.";
}

// ---- Limits of one clip.

// A limit that cannot be compared with a price refuses: it would be none for the clip that may be dearest.
std::optional<Decision> over_clip_limit(const Budget &budget, const ClipLimit &max_amount,
                                        const Price &price) {
  // The smallest limit is the one that holds, and that a refusal names.
  const bool is_of_budget =
      budget.per_clip > 0 && (max_amount.credits <= 0 || budget.per_clip < max_amount.credits);
  const double limit = is_of_budget ? budget.per_clip : max_amount.credits;
  if (limit <= 0 || (price.amount && fits(*price.amount, limit))) return std::nullopt;
  const std::string setting = max_amount.setting;
  Decision decision = refusal(is_of_budget ? "per-clip" : "max-amount", limit, price);
  decision.text = std::string(kNothingSent) +
                  (is_of_budget ? "the store's budget allows " + credits(limit) + " for one clip"
                                : setting + " allows this clip " + credits(limit)) +
                  ", and " + price.clause() + ". ";
  if (price.amount)
    decision.text +=
        "Change the request, or " + (is_of_budget ? raising("--per-clip") : "raise " + setting + ".");
  else
    decision.text +=
        (is_of_budget ? "Lift the limit (genclip budget set --per-clip 0)" : "Unset " + setting) +
        " for the first clip of its kind, or say what to assume with: genclip budget set "
        "--assumed-price N.";
  return decision;
}

// ---- Limits of a time.

struct Span {
  const char *name;
  const char *option;
  const char *words;  // "… allows 5 credits WORDS"
  double limit;
  Period period;
  std::optional<UtcTime> resets;
};

std::optional<Decision> over_span(const Account &account, const Budget &budget, const Span &span,
                                  const Price &price) {
  if (span.limit <= 0) return std::nullopt;
  const Sums sums = account.sums(span.period, budget.assumed_price);
  const double used = sums.spent + sums.reserved;
  // A clip whose price is unknown needs some room.
  const bool has_room = price.amount ? fits(used + *price.amount, span.limit) : used < span.limit - kSlack;
  if (has_room) return std::nullopt;
  Decision decision = refusal(span.name, span.limit, price);
  decision.spent = sums.spent;
  decision.reserved = sums.reserved;
  decision.resets = span.resets;
  decision.text = std::string(kNothingSent) + "the store's budget allows " + credits(span.limit) + " " +
                  span.words + "; " + credits_are(sums.spent) + "spent, " + credits_are(sums.reserved) +
                  "reserved, and " + price.clause() + ". ";
  decision.text += span.resets ? "Run again after " + minute_text(*span.resets) + ", or " : "To go on, ";
  decision.text += raising(span.option);
  return decision;
}

std::optional<Decision> over_task_limit(const Account &account, const Budget &budget, UtcDay today,
                                        const Price &price) {
  if (budget.tasks_per_day <= 0) return std::nullopt;
  const auto tomorrow = today + std::chrono::days(1);
  const Sums sums = account.sums({today, tomorrow}, budget.assumed_price);
  const auto tasks = static_cast<double>(sums.tasks);
  if (tasks + 1 <= budget.tasks_per_day) return std::nullopt;
  Decision decision = refusal("tasks-per-day", budget.tasks_per_day, price);
  decision.spent = tasks;
  decision.resets = tomorrow;
  decision.text = std::string(kNothingSent) + "the store's budget allows " +
                  amount_text(budget.tasks_per_day) +
                  (budget.tasks_per_day == 1 ? " task a day, and " : " tasks a day, and ") +
                  (tasks == 1 ? "there is 1" : "there are " + amount_text(tasks)) +
                  " already. Run again after " + minute_text(tomorrow) + ", or " + raising("--tasks-per-day");
  return decision;
}

// The same for the first of such clips and for those that wait for it, so that a run says it once.
constexpr char kUnknownPrice[] =
    "The budget limits credits, and the price of this clip is unknown. It is submitted nevertheless, once "
    "the "
    "price of such a clip before it is known, and counts once its own price is known: it may cost more than "
    "a "
    "limit allows. To say what such clips count with: genclip budget set --assumed-price N.";

// Clips under way whose price nobody knows.
std::vector<std::string> unpriced(const Account &account) {
  std::vector<std::string> keys;
  for (const Charge &charge : account.charges())
    if (charge.is_under_way() && !charge.estimate && !charge.amount) keys.push_back(charge.key);
  return keys;
}

}  // namespace

Error refusal_error(const Decision &decision) {
  Error error{ErrorKind::not_authorized, decision.text};
  error.details = {{"budget", decision.budget},
                   {"limit", decision.limit},
                   {"spent", decision.spent},
                   {"reserved", decision.reserved},
                   {"estimate", decision.estimate}};
  return error;
}

std::string without_nothing_sent(std::string text) {
  const size_t place = text.find(kNothingSent);
  if (place != text.npos) text.replace(place, kNothingSent.size(), "The clip was not submitted: ");
  return text;
}

bool fits(double amount, double limit) { return amount <= limit + kSlack; }

std::string amount_text(double amount) { return rounded_text(amount, 4); }

Decision decide(const Account &account, const Budget &budget, const ClipLimit &max_amount,
                const std::optional<Estimate> &estimate, UtcTime now, unsigned max_tasks) {
  const Price price = price_of(budget, estimate);
  if (auto refused = over_clip_limit(budget, max_amount, price)) return *refused;
  const UtcDay today = day_of(now), tomorrow = today + std::chrono::days(1);
  const UtcDay month = month_of(today), after_month = next_month(today);
  const Span spans[] = {
      {"total", "--total", "in total", budget.total, {}, std::nullopt},
      {"per-month", "--per-month", "a month", budget.per_month, {month, after_month}, after_month},
      {"per-day", "--per-day", "a day", budget.per_day, {today, tomorrow}, tomorrow},
  };
  for (const Span &span : spans)
    if (auto refused = over_span(account, budget, span, price)) return *refused;
  if (auto refused = over_task_limit(account, budget, today, price)) return *refused;

  Decision decision;
  decision.estimate = price.amount.value_or(-1);
  if (!price.amount && budget.limits_times()) {
    decision.warning = kUnknownPrice;
    decision.waits_for = unpriced(account);
  }
  if (decision.waits_for.empty() && max_tasks > 0) {
    std::vector<std::string> taken = taken_slots(account, now);
    decision.is_for_slot = taken.size() >= max_tasks;
    if (decision.is_for_slot) decision.waits_for = std::move(taken);
  }
  if (!decision.waits_for.empty()) decision.verdict = Verdict::wait;
  return decision;
}

}  // namespace genclip
