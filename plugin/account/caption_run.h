// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What one run of captions has used and may still use.
//
//   next() says `send`: began(), the request, then ended(). It says `ask`: begin_report(), a line in the
//   ledger with what that gives, then allowed() or not_reported(). It says `wait`: until the next ended().
#pragma once

#include <cstdint>
#include <string>

#include "plugin/account/decision.h"
#include "plugin/account/ledger_entry.h"
#include "plugin/base/utc_time.h"

namespace genclip {

// What became of one request to the text gateway. One that it refused, or that was not sent, has told:
// nothing.
struct CaptionTokens {
  bool is_told = false;
  uint64_t prompt = 0;
  uint64_t output = 0;
  uint64_t total = 0;
  bool was_sent = true;  // False: it does not count, unless a line of the ledger counts it already.
};

// A plain value, without I/O and without a clock.
class CaptionRun {
 public:
  enum class Step {
    send,  // A request may be sent.
    wait,  // For an answer.
    ask,   // The ledger for more requests.
    stop,  // max_tokens is used up.
  };

  CaptionRun() = default;
  // `max_tokens`: of this run; 0: no limit. Its first request is always sent.
  explicit CaptionRun(uint64_t max_tokens) : max_tokens_(max_tokens) {}

  Step next(UtcDay today) const;
  void began();
  // The tokens that it counts with.
  uint64_t ended(const CaptionTokens &tokens);

  struct Report {
    CaptionUse use;  // Since the previous line.
    CaptionAsk ask;
  };
  // What it held is given back with that. One report at a time.
  Report begin_report(uint64_t wanted);
  // The line is written, and says that the run holds that from this day on. `most_of_model`: as in
  // CaptionAsk.
  void allowed(const CaptionHold &hold, UtcDay day, uint64_t most_of_model);
  // No line was written: the next report says it, too.
  void not_reported();

  uint64_t unanswered() const { return unanswered_; }
  uint64_t max_tokens() const { return max_tokens_; }
  uint64_t used_tokens() const { return used_tokens_; }
  bool has_anything_to_report() const { return unreported_ != CaptionUse() || held_ != CaptionHold(); }

 private:
  CaptionAsk ask(uint64_t wanted) const { return {wanted, unanswered_, most_of_run_, most_of_model_}; }

  uint64_t max_tokens_ = 0;
  uint64_t left_ = 0;
  UtcDay day_ = {};  // On which they may be sent.
  uint64_t unanswered_ = 0;
  uint64_t used_tokens_ = 0;
  uint64_t most_of_run_ = 0;
  uint64_t most_of_model_ = 0;
  CaptionHold held_;  // By its latest line.
  CaptionUse unreported_;
  CaptionUse reporting_;
};

}  // namespace genclip
