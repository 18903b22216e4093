// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a clip may be paid, or captions requested: a pure function of the account, the budget and the
// spending.
#pragma once

#include <cstdint>
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
  wait,    // Not yet: what `waits_for` names is to settle, or to become unknown, first.
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
  bool operator==(const ClipLimit &other) const {
    return credits == other.credits && std::string_view(setting) == other.setting;
  }
};

// What a run wants to reserve: a clip, or requests for captions.
struct Spending {
  double count = 1;  // Clips or requests. A decision may grant fewer, but one at least.
  Amounts each;      // What one of them may take.
  // What is known only from experience: a clip's credits, a request's tokens.
  double Amounts::*learnt = &Amounts::credits;
  bool is_known = true;  // False: there is none yet, and any room is enough for it.
  // What this run's requests without an answer may yet take. The account does not count it.
  Amounts unanswered;

  // ---- Of a clip.
  bool is_assumed = false;  // Its credits are the budget's assumed price.
  ClipLimit max_amount;
  unsigned max_tasks = 0;  // How many tasks of the store may run at once (task_slots.h); 0: any number.

  bool is_clip() const { return learnt == &Amounts::credits; }
};

// `max_amount`: of this clip alone. Without an estimate, the budget's assumed price counts.
Spending clip_spending(const Budget &budget, const ClipLimit &max_amount,
                       const std::optional<Estimate> &estimate, unsigned max_tasks = 0);

// What a request counts with where nobody knows an answer of its model: more than most captions take.
constexpr uint64_t kAssumedTokens = 1000;

struct CaptionAsk {
  uint64_t wanted = 1;      // Requests.
  uint64_t unanswered = 0;  // Requests of this run whose tokens are not known yet.
  // The most that an answer has taken: of this run; and of its model, as the ledger knows it. 0: none is
  // known.
  uint64_t most_of_run = 0;
  uint64_t most_of_model = 0;

  // What a request may take.
  uint64_t tokens_each() const {
    return most_of_run > 0 ? most_of_run : most_of_model > 0 ? most_of_model : kAssumedTokens;
  }
};
Spending caption_spending(const CaptionAsk &ask);

// What the text of a refusal begins with; the reason follows.
inline constexpr std::string_view kNothingSent = "Nothing was sent: ";
inline constexpr std::string_view kNothingRequested = "No caption was requested: ";
// The same for a run that has sent something else: of the one clip alone.
std::string without_nothing_sent(std::string text);

struct Decision {
  Verdict verdict = Verdict::allow;
  // What the run reserves, whatever the verdict: what is granted, and what its unanswered requests may take.
  Amounts reserves;

  // ---- Of `refuse`.
  // Some sentences: the limit, what is spent and reserved, the estimate, when the limit resets, how to raise
  // it. Empty for the other verdicts.
  std::string text;
  // The limit: "max-amount", "per-clip", "per-day", "requests-per-day" and so on; "budget.json": whatever
  // limits stand there.
  std::string budget;
  // Its value, and what counts against it within its time: credits, tasks, requests or tokens. `reserved`
  // includes the run's unanswered requests.
  double limit = 0;
  double spent = 0;
  double reserved = 0;
  // What one was taken to take: a clip in credits, a request in what is limited; -1: unknown.
  double estimate = -1;
  std::optional<UtcTime> resets = {};  // None: it does not.

  // ---- Of `allow` and `wait`.
  // A sentence or two to warn with, once in a run: a limit cannot hold, because the price is unknown. Else
  // empty.
  std::string warning;

  // ---- Of `wait`, for a clip: charges under way, by key. Captions wait for an answer to one of the
  // unanswered requests, of which there are some then.
  std::vector<std::string> waits_for;
  bool is_for_slot = false;  // As many tasks run as may; else: their prices are to become known.
};

// A clip is granted whole or not at all. Where its price is unknown and nothing is assumed, a limit of one
// clip refuses, and under a limit of a time such clips go one at a time, with a warning.
//
// Of requests for captions fewer are granted at a time the nearer a limit is: so no run keeps from others
// what it may not need. As long as no answer takes more than was expected, no limit is exceeded. Where nobody
// knows what one takes, and tokens are limited, a run sends one request at a time until its first answer.
//
// `account`: without what the run itself has reserved.
Decision decide(const Account &account, const Budget &budget, const Spending &spending, UtcTime now);

// A limit of clips within a time, and what counts against it.
struct LimitUse {
  double limit = 0, spent = 0, reserved = 0;
  std::string unit;                    // "credits" or "tasks".
  std::optional<UtcTime> resets = {};  // None: it does not.
};
// The one of which the largest part is used. Nothing: the budget has none.
std::optional<LimitUse> nearest_limit(const Account &account, const Budget &budget, UtcTime now);

// Of requests for captions: what the run's line in the ledger says that it holds.
CaptionHold hold_of(const Decision &decision);

// The refusal where budget.json cannot be read, or has a fault: it may limit anything. `opening`: as
// kNothingSent.
Decision unreadable_budget(std::string_view opening, const Error &error, const Spending &spending = {});

// A refusal as an error, with its numbers as details.
Error refusal_error(const Decision &decision);

// Whether that many credits are within the limit, whatever the rounding of sums and of estimates.
bool fits(double amount, double limit);

// A number of credits for people: "7.5". At most four decimals, no exponent.
std::string amount_text(double amount);

}  // namespace genclip
