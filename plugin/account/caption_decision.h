// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a run of captions may send more requests today: a pure function of the day, the budget and the run.
#pragma once

#include <cstdint>

#include "plugin/account/budget.h"
#include "plugin/account/decision.h"
#include "plugin/account/ledger_entry.h"

namespace genclip {

// What a request counts with where the ledger knows no answer of its model: more than most captions take.
constexpr uint64_t kAssumedTokens = 1000;

struct CaptionAsk {
  uint64_t wanted = 1;      // Requests.
  uint64_t unanswered = 0;  // Requests of this run whose tokens are not known yet.
  // The most that an answer has taken: of this run; and of its model, as the ledger knows it. 0: none is
  // known.
  uint64_t most_of_run = 0;
  uint64_t most_of_model = 0;

  bool is_known() const { return most_of_run > 0 || most_of_model > 0; }
  // What a request may take.
  uint64_t tokens_each() const {
    return most_of_run > 0 ? most_of_run : most_of_model > 0 ? most_of_model : kAssumedTokens;
  }
};

// `allow`: `held_requests` may be sent, at least one and at most `wanted`. `wait`: for an answer to one of
// `unanswered`, of which there are some then. For each verdict `held_tokens` includes the unanswered ones.
//
// The members of a refusal: `budget` is "requests-per-day" or "tokens-per-day"; limit, spent and reserved are
// requests or tokens, and so is `estimate`: what one request may take.
struct CaptionDecision : Decision, CaptionHold {};

// `today`: what is used and held on this UTC day, without what this run holds. The nearer a limit is, the
// fewer requests are granted at a time: so no run keeps from others what it may not need.
//
// As long as no answer takes more than tokens_each(), no limit is exceeded. Where nobody knows what one
// takes, and there is a limit of tokens, a run sends one request at a time until its first answer; for that
// one any room is enough.
CaptionDecision decide_captions(const CaptionCounts &today, const Budget &budget, const CaptionAsk &ask,
                                UtcTime now);

}  // namespace genclip
