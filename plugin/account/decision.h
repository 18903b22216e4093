// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether one more clip may be paid: a pure function of the account, the budget and the clip's estimate.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/account/budget.h"
#include "plugin/account/estimate.h"
#include "plugin/base/error.h"
#include "plugin/base/utc_time.h"

namespace genclip {

enum class Verdict {
  allow,   // It may be reserved, and then submitted.
  wait,    // Not yet: `waits_for` are to settle, or to become unknown, first.
  refuse,  // Not at all, for the reason in `text`.
};

// What one clip may cost, with all that is generated for it.
struct ClipLimit {
  double credits = 0;  // 0: no limit.
  // Who set it, as a refusal names it: "max-amount" or "GENCLIP_MAX_AMOUNT".
  const char *setting = "max-amount";

  ClipLimit(double credits = 0) : credits(credits) {}  // NOLINT(google-explicit-constructor)
  ClipLimit(double credits, const char *setting) : credits(credits), setting(setting) {}
  // Neither can loosen the other.
  ClipLimit tightened_by(const ClipLimit &other) const {
    return other.credits > 0 && (credits == 0 || other.credits < credits) ? other : *this;
  }
};

// What the text of a refusal begins with; the reason follows.
inline constexpr std::string_view kNothingSent = "Nothing was sent: ";
// The same for a run that has sent something else: of the one clip alone.
std::string without_nothing_sent(std::string text);

struct Decision {
  Verdict verdict = Verdict::allow;

  // ---- Of `refuse`.
  // Some sentences: the limit, what is spent and reserved, the estimate, when the limit resets, how to raise
  // it. Empty for the other verdicts.
  std::string text;
  // The limit: "max-amount", "per-clip", "per-day", "per-month", "total" or "tasks-per-day".
  std::string budget;
  double limit = 0;                    // Its value: credits, or tasks.
  double spent = 0;                    // Within the limit's time: credits, or tasks.
  double reserved = 0;                 // Credits.
  double estimate = -1;                // What the clip was taken to cost, in credits; -1: unknown.
  std::optional<UtcTime> resets = {};  // None: it does not.

  // ---- Of `allow` and `wait`.
  // A sentence or two to warn with, once in a run: a limit cannot hold, because the price is unknown. Else
  // empty.
  std::string warning;

  // ---- Of `wait`: charges under way, by key.
  std::vector<std::string> waits_for;
  bool is_for_slot = false;  // As many tasks run as may; else: their prices are to become known.
};

// `max_amount`: of this clip alone. Where the price is unknown, the assumed price counts. Without one, a
// limit of one clip refuses, and under a limit of a time such clips go one at a time, with a warning.
// `max_tasks`: how many tasks of the store may run at once (task_slots.h), 0: any number.
Decision decide(const Account &account, const Budget &budget, const ClipLimit &max_amount,
                const std::optional<Estimate> &estimate, UtcTime now, unsigned max_tasks = 0);

// A refusal as an error, with its numbers as details.
Error refusal_error(const Decision &decision);

// Whether that many credits are within the limit, whatever the rounding of sums and of estimates.
bool fits(double amount, double limit);

// A number of credits for people: "7.5". At most four decimals, no exponent.
std::string amount_text(double amount);

}  // namespace genclip
