// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/download_patience.h"

#include <algorithm>

namespace genclip {

using std::chrono::milliseconds;

DownloadPatience::Step DownloadPatience::after(Setback setback, bool has_arrived, Clock::Time now,
                                               Wish wish) {
  const bool may_lag = setback == Setback::busy || setback == Setback::missing;
  if (may_lag && !has_arrived) return after_lag(now, wish);
  if (setback == Setback::broken || setback == Setback::busy) {
    const Step step = retried(Step::again, wish);
    return !has_arrived && now + step.pause >= limit_ ? Step() : step;
  }
  if (++fresh_urls_ > kMaxFreshUrls) return {};
  // Further ones wait, because the service may need a moment to sign a new URL.
  if (fresh_urls_ == 1) return {Step::fresh_url};
  return retried(Step::fresh_url, wish);
}

// The first fresh URL comes at once; the last try is at the limit. A wait that the server asks for is kept in
// full, or the download ends.
DownloadPatience::Step DownloadPatience::after_lag(Clock::Time now, Wish wish) {
  if (now >= limit_ || (wish && now + *wish > limit_)) return {};
  const unsigned lags = lags_++;
  if (lags == 0 && !wish) return {Step::fresh_url};
  const milliseconds left = std::chrono::ceil<milliseconds>(limit_ - now);
  const milliseconds own = std::min(retries_.delay(std::max(lags, 1u)), RetryPolicy::kLongestDelay);
  return {Step::fresh_url, std::min(left, std::max(own, wish.value_or(milliseconds(0))))};
}

DownloadPatience::Step DownloadPatience::retried(Step::Kind kind, Wish wish) {
  const auto pause = retries_.delay_before(++failures_, wish);
  return pause ? Step{kind, *pause} : Step{};
}

}  // namespace genclip
