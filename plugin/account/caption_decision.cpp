// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Room is what a limit leaves; a run gets at most an eighth of it at a time, and always one request.
#include "plugin/account/caption_decision.h"

#include <algorithm>

#include "plugin/base/number.h"

namespace genclip {
namespace {

constexpr uint64_t kShare = 8;

uint64_t minus(uint64_t all, uint64_t part) { return all > part ? all - part : 0; }

uint64_t share_of(uint64_t requests) { return std::max<uint64_t>(1, requests / kShare); }

std::string counted_is(uint64_t count) { return std::to_string(count) + (count == 1 ? " is " : " are "); }

// "100 tokens a day; 98 are used, 2 are reserved".
CaptionDecision refusal(const char *budget, const char *noun, const char *used, double limit, uint64_t spent,
                        uint64_t reserved, UtcDay today) {
  CaptionDecision decision;
  decision.verdict = Verdict::refuse;
  decision.budget = budget;
  decision.limit = limit;
  decision.spent = static_cast<double>(spent);
  decision.reserved = static_cast<double>(reserved);
  const UtcDay tomorrow = today + std::chrono::days(1);
  decision.resets = tomorrow;
  decision.text = "No caption was requested: the store's budget allows " + counted(amount_text(limit), noun) +
                  " for captions a day; " + counted_is(spent) + used + ", and " + counted_is(reserved) +
                  "reserved. Captions come again after " + day_text(tomorrow) +
                  " 00:00 UTC, or raise the limit with: genclip budget set --" + budget + " N.";
  return decision;
}

}  // namespace

CaptionDecision decide_captions(const CaptionCounts &today, const Budget &budget, const CaptionAsk &ask,
                                UtcTime now) {
  const bool is_known = ask.is_known();
  const uint64_t each = ask.tokens_each();
  const uint64_t of_unanswered = ask.unanswered * each;
  uint64_t granted = ask.wanted;
  uint64_t tokens_of_one = each;

  if (budget.requests_per_day > 0) {
    const auto limit = static_cast<uint64_t>(budget.requests_per_day);
    const uint64_t room = minus(limit, today.requests + today.held_requests);
    if (room == 0) {
      auto refused = refusal("requests-per-day", "request", "sent", budget.requests_per_day, today.requests,
                             today.held_requests, day_of(now));
      refused.held_tokens = of_unanswered;
      refused.estimate = 1;
      return refused;
    }
    granted = std::min(granted, share_of(room));
  }
  if (budget.tokens_per_day > 0) {
    const auto limit = static_cast<uint64_t>(budget.tokens_per_day);
    // What is left if the unanswered requests take nothing, and if they take all that they may.
    const uint64_t most_room = minus(limit, today.tokens() + today.held_tokens);
    const uint64_t room = minus(most_room, of_unanswered);
    if (!is_known) tokens_of_one = std::clamp<uint64_t>(most_room, 1, each);
    if (most_room < tokens_of_one) {
      auto refused = refusal("tokens-per-day", "token", "used", budget.tokens_per_day, today.tokens(),
                             today.held_tokens + of_unanswered, day_of(now));
      refused.held_tokens = of_unanswered;
      refused.estimate = is_known ? static_cast<double>(each) : -1;
      if (is_known) refused.text += " (One request may take " + std::to_string(each) + ".)";
      return refused;
    }
    if (ask.unanswered > 0 && (!is_known || room < tokens_of_one)) {
      CaptionDecision later;
      later.verdict = Verdict::wait;
      later.held_tokens = of_unanswered;
      return later;
    }
    granted = is_known ? std::min(granted, share_of(room / each)) : 1;
  }

  CaptionDecision decision;
  decision.held_requests = granted;
  decision.held_tokens = of_unanswered + granted * tokens_of_one;
  return decision;
}

}  // namespace genclip
