// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Limits of one clip first. Of those of a time the longest comes first: that the day ends soon is no comfort
// when all is spent.
#include "plugin/account/decision.h"

#include <algorithm>
#include <cmath>

#include "plugin/account/task_slots.h"
#include "plugin/base/number.h"
#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

// Sums of credits are rounded: 0.1 + 0.2 fits into 0.3.
constexpr double kSlack = 1e-6;
// A run of captions gets at most this part of the room that a limit leaves.
constexpr double kShare = 1.0 / 8;

std::string credits(double amount) { return counted(amount_text(amount), "credit"); }

std::string number_is(const std::string &what, double number) {
  return what + (number == 1 ? " is " : " are ");
}

// ---- The words of a refusal.

std::string price_clause(const Spending &spending) {
  if (!spending.is_known) return "what this clip will cost is not known yet";
  return "this clip may cost " + credits(spending.each.credits) +
         (spending.is_assumed ? " (the assumed price)" : "");
}

std::string raising(std::string_view option) {
  return "raise the limit with: genclip budget set " + std::string(option) + " N.";
}

double estimate_of(const Spending &spending, double Amounts::*of) {
  return spending.is_known || of != spending.learnt ? spending.each.*of : -1;
}

Decision refusal(std::string budget, double limit, double estimate) {
  Decision decision;
  decision.verdict = Verdict::refuse;
  decision.budget = std::move(budget);
  decision.limit = limit;
  decision.estimate = estimate;
  return decision;
}

// ---- Limits of one clip.

// A limit that cannot be compared with a price refuses: it would be none for the clip that may be dearest.
std::optional<Decision> over_clip_limit(const Budget &budget, const Spending &spending) {
  // The smallest limit is the one that holds, and that a refusal names.
  const double own = spending.max_amount.credits;
  const bool is_of_budget = budget.per_clip > 0 && (own <= 0 || budget.per_clip < own);
  const double limit = is_of_budget ? budget.per_clip : own;
  if (limit <= 0 || (spending.is_known && fits(spending.each.credits, limit))) return std::nullopt;
  const std::string setting = spending.max_amount.setting;
  Decision decision =
      refusal(is_of_budget ? "per-clip" : "max-amount", limit, estimate_of(spending, &Amounts::credits));
  decision.text = std::string(kNothingSent) +
                  (is_of_budget ? "the store's budget allows " + credits(limit) + " for one clip"
                                : setting + " allows this clip " + credits(limit)) +
                  ", and " + price_clause(spending) + ". ";
  if (spending.is_known)
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

// One of them, and what counts against it.
struct LimitNow {
  const BudgetLimit &row;
  double value;
  double spent;
  double reserved;
  std::optional<UtcTime> resets;
};

std::string limit_text(const LimitNow &limit, const AmountWords &words) {
  const char *const times[] = {"", " a day", " a month", " in total"};
  return "the store's budget allows " + counted(amount_text(limit.value), words.noun) +
         (words.is_of_captions ? " for captions" : "") + times[static_cast<size_t>(limit.row.time)];
}

std::string use_text(const LimitNow &limit, const AmountWords &words, const Spending &spending) {
  const std::string spent = amount_text(limit.spent);
  if (limit.row.of == &Amounts::tasks)
    return ", and " + (limit.spent == 1 ? "there is 1" : "there are " + spent) + " already. ";
  const auto are = [&](double number) {
    const std::string text = amount_text(number);
    return number_is(words.is_of_captions ? text : counted(text, words.noun), number);
  };
  const std::string reserved = are(limit.reserved) + "reserved";
  return "; " + are(limit.spent) + words.spent +
         (words.is_of_captions ? ", and " + reserved : ", " + reserved + ", and " + price_clause(spending)) +
         ". ";
}

Decision refusal(LimitNow limit, const Spending &spending) {
  const AmountWords &words = words_of(limit.row.of);
  limit.reserved += spending.unanswered.*limit.row.of;
  Decision decision = refusal(std::string(limit.row.option.substr(2)), limit.value,
                              estimate_of(spending, spending.is_clip() ? spending.learnt : limit.row.of));
  decision.spent = limit.spent;
  decision.reserved = limit.reserved;
  decision.resets = limit.resets;
  decision.reserves = spending.unanswered;
  decision.text = std::string(words.is_of_captions ? kNothingRequested : kNothingSent) +
                  limit_text(limit, words) + use_text(limit, words, spending);
  decision.text += limit.resets ? (words.is_of_captions ? "Captions come again after " : "Run again after ") +
                                      minute_text(*limit.resets) + ", or "
                                : "To go on, ";
  decision.text += raising(limit.row.option);
  if (limit.row.of == &Amounts::tokens && spending.is_known)
    decision.text += " (One request may take " + amount_text(decision.estimate) + ".)";
  return decision;
}

// Those that count what is to be reserved.
std::vector<LimitNow> limits_now(const Account &account, const Budget &budget, bool is_clip, UtcTime now) {
  std::vector<LimitNow> limits;
  for (const LimitTime time : {LimitTime::ever, LimitTime::month, LimitTime::day}) {
    const Period period = period_of(time, day_of(now));
    std::optional<Sums> sums;
    for (const BudgetLimit &row : budget_limits()) {
      const double value = budget.*row.value;
      if (row.time != time || value <= 0 || words_of(row.of).is_of_captions == is_clip) continue;
      if (!sums) sums = account.sums(period, budget.assumed_price);
      limits.push_back({row, value, sums->spent.*row.of, sums->reserved.*row.of, period.until});
    }
  }
  return limits;
}

// The same for the first of such clips and for those that wait for it, so that a run says it once.
constexpr char kUnknownPrice[] =
    "The budget limits credits, and the price of this clip is unknown. It is submitted nevertheless, and may "
    "cost more than a limit allows. If a clip of its kind is under way, it waits for the price of that one. "
    "To say what such clips count with: genclip budget set --assumed-price N.";

// Clips under way whose price nobody knows.
std::vector<std::string> unpriced(const Account &account) {
  std::vector<std::string> keys;
  for (const Charge &charge : account.charges())
    if (charge.is_under_way() && !charge.estimate && !charge.amount) keys.push_back(charge.key);
  return keys;
}

void wait_for_others(const Account &account, const Budget &budget, const Spending &clip, UtcTime now,
                     Decision &decision) {
  if (!clip.is_known && budget.limits_times()) {
    decision.warning = kUnknownPrice;
    decision.waits_for = unpriced(account);
  }
  if (decision.waits_for.empty() && clip.max_tasks > 0) {
    std::vector<std::string> taken = taken_slots(account, now);
    decision.is_for_slot = taken.size() >= clip.max_tasks;
    if (decision.is_for_slot) decision.waits_for = std::move(taken);
  }
  if (!decision.waits_for.empty()) decision.verdict = Verdict::wait;
}

}  // namespace

Spending clip_spending(const Budget &budget, const ClipLimit &max_amount,
                       const std::optional<Estimate> &estimate, unsigned max_tasks) {
  Spending spending;
  spending.each = {.credits = estimate ? estimate->high : budget.assumed_price, .tasks = 1};
  spending.is_assumed = !estimate && budget.assumed_price > 0;
  spending.is_known = estimate || spending.is_assumed;
  spending.max_amount = max_amount;
  spending.max_tasks = max_tasks;
  return spending;
}

Spending caption_spending(const CaptionAsk &ask) {
  const auto each = static_cast<double>(ask.tokens_each());
  Spending spending;
  spending.count = static_cast<double>(ask.wanted);
  spending.each = {.requests = 1, .tokens = each};
  spending.unanswered.tokens = static_cast<double>(ask.unanswered) * each;
  spending.learnt = &Amounts::tokens;
  spending.is_known = ask.most_of_run > 0 || ask.most_of_model > 0;
  return spending;
}

Decision unreadable_budget(std::string_view opening, const Error &error, const Spending &spending) {
  Decision decision;
  decision.verdict = Verdict::refuse;
  decision.budget = "budget.json";
  decision.reserves = spending.unanswered;
  decision.text = std::string(opening) + error.text;
  return decision;
}

Error refusal_error(const Decision &decision) {
  Error error{ErrorKind::not_authorized, decision.text};
  error.details = {{"budget", decision.budget},
                   {"limit", decision.limit},
                   {"spent", decision.spent},
                   {"reserved", decision.reserved},
                   {"estimate", decision.estimate}};
  if (decision.resets) error.details.push_back({"resets", utc_text(*decision.resets)});
  return error;
}

std::string without_nothing_sent(std::string text) {
  const size_t place = text.find(kNothingSent);
  if (place != text.npos) text.replace(place, kNothingSent.size(), "The clip was not submitted: ");
  return text;
}

bool fits(double amount, double limit) { return amount <= limit + kSlack; }

std::string amount_text(double amount) { return rounded_text(amount, 4); }

Decision decide(const Account &account, const Budget &budget, const Spending &spending, UtcTime now) {
  if (auto refused = spending.is_clip() ? over_clip_limit(budget, spending) : std::nullopt) return *refused;
  Decision decision;
  decision.estimate = estimate_of(spending, spending.learnt);
  Amounts each = spending.each;
  double granted = spending.count;
  for (const LimitNow &limit : limits_now(account, budget, spending.is_clip(), now)) {
    // What is left if the unanswered requests take nothing, and if they take all that they may. Without the
    // first, nothing may be sent; with the first alone, nothing before one of them is answered.
    const double most_room = limit.value - limit.spent - limit.reserved;
    const double unanswered = spending.unanswered.*limit.row.of, room = most_room - unanswered;
    double &takes = each.*limit.row.of;
    if (spending.is_known || limit.row.of != spending.learnt) {
      if (!fits(takes, most_room)) return refusal(limit, spending);
      if (unanswered > 0 && !fits(takes, room)) decision.verdict = Verdict::wait;
      if (granted > 1)
        granted = std::min(granted, std::max(1.0, std::floor(std::floor(room / takes) * kShare)));
    } else {
      if (most_room <= kSlack) return refusal(limit, spending);
      if (unanswered > 0) decision.verdict = Verdict::wait;
      takes = std::min(takes, most_room);
      granted = 1;
    }
  }
  if (spending.is_clip()) wait_for_others(account, budget, spending, now, decision);
  decision.reserves = spending.unanswered;
  if (decision.verdict == Verdict::wait) return decision;
  for (double Amounts::*of : {&Amounts::credits, &Amounts::tasks, &Amounts::requests, &Amounts::tokens})
    decision.reserves.*of += granted * each.*of;
  return decision;
}

std::optional<LimitUse> nearest_limit(const Account &account, const Budget &budget, UtcTime now) {
  const auto limits = limits_now(account, budget, true, now);
  const auto used = [](const LimitNow &limit) { return (limit.spent + limit.reserved) / limit.value; };
  const auto nearest = std::ranges::max_element(limits, {}, used);
  if (nearest == limits.end()) return std::nullopt;
  return LimitUse{nearest->value, nearest->spent, nearest->reserved,
                  std::string(words_of(nearest->row.of).noun) + "s", nearest->resets};
}

CaptionHold hold_of(const Decision &decision) {
  const auto count = [](double number) { return static_cast<uint64_t>(std::min(number, kMostTallied)); };
  return {count(decision.reserves.requests), count(decision.reserves.tokens)};
}

}  // namespace genclip
