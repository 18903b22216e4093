// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/account/caption_run.h"

#include <algorithm>
#include <utility>

namespace genclip {

CaptionRun::Step CaptionRun::next(UtcDay today) const {
  if (max_tokens_ > 0) {
    // As decide() has it: no request whose answer may exceed the limit.
    const uint64_t each = ask(1).tokens_each();
    if (used_tokens_ > 0 && used_tokens_ + each > max_tokens_) return Step::stop;
    if (unanswered_ > 0 && (most_of_run_ == 0 || used_tokens_ + (unanswered_ + 1) * each > max_tokens_))
      return Step::wait;
  }
  if (day_ == today && left_ > 0) return Step::send;
  // Else the new day would count what these take, which had room on the day before.
  if (day_ != today && unanswered_ > 0) return Step::wait;
  return Step::ask;
}

void CaptionRun::began() {
  --left_;
  ++unanswered_;
  ++unreported_.requests;
}

uint64_t CaptionRun::ended(const CaptionTokens &tokens) {
  --unanswered_;
  if (!tokens.was_sent) {
    // What a line counts already, perhaps on the day before, stays counted.
    if (unreported_.requests == 0) return 0;
    --unreported_.requests;
    ++left_;
    return 0;
  }
  CaptionUse use;
  if (tokens.is_told) {
    use.prompt_tokens = tokens.prompt;
    use.output_tokens = tokens.output;
    use.total_tokens = use.most_tokens = std::max(tokens.total, tokens.prompt + tokens.output);
  } else {
    use.untold = 1;
    use.assumed_tokens = ask(1).tokens_each();
  }
  unreported_.add(use);
  used_tokens_ += use.tokens();
  most_of_run_ = std::max(most_of_run_, use.most_tokens);
  return use.tokens();
}

CaptionRun::Report CaptionRun::begin_report(uint64_t wanted) {
  left_ = 0;
  reporting_ = std::exchange(unreported_, {});
  return {reporting_, ask(wanted)};
}

void CaptionRun::allowed(const CaptionHold &hold, UtcDay day, uint64_t most_of_model) {
  reporting_ = {};
  held_ = hold;
  left_ = hold.held_requests;
  day_ = day;
  most_of_model_ = most_of_model;
}

void CaptionRun::not_reported() { unreported_.add(std::exchange(reporting_, {})); }

}  // namespace genclip
