// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/download_patience.h"

#include <algorithm>
#include <utility>

namespace genclip {
namespace {

// A few bytes are unlikely to be the same in two versions. Fewer are compared only where not even these
// arrive.
constexpr uint64_t kUsualLeastOverlap = 4;
// Of what an exchange brings.
constexpr uint64_t kOverlapPart = 4;
// Ten connections a second bring a clip over a link that breaks every few kilobytes in minutes.
constexpr std::chrono::milliseconds kShortPause{100};

}  // namespace

using std::chrono::milliseconds;

bool may_lag(Setback setback) { return setback == Setback::busy || setback == Setback::missing; }

DownloadPatience::Step DownloadPatience::after(Setback setback, bool has_arrived, Clock::Time now,
                                               Wish wish) {
  const bool has_progressed = std::exchange(has_progressed_, false);
  if (setback == Setback::lasting) return {};
  if (setback == Setback::growing) return after_growth(now);
  if (may_lag(setback) && !has_arrived) return after_lag(now, wish);
  if (setback == Setback::broken || setback == Setback::busy) {
    Step step = retried(Step::again, wish);
    // A link that brings something before it breaks brings more at once.
    if (has_progressed && setback == Setback::broken)
      step.pause = short_ > kMostWithoutPause ? kShortPause : milliseconds(0);
    return !has_arrived && now + step.pause >= limit_ ? Step() : step;
  }
  if (++fresh_urls_ > kMaxFreshUrls) return {};
  // Further ones wait, because the service may need a moment to sign a new URL.
  if (fresh_urls_ == 1) return {Step::fresh_url};
  return retried(Step::fresh_url, wish);
}

// The first fresh URL comes at once; the last try is at the limit. A wait that the server asks for is kept in
// full if it ends before the limit. Otherwise the clip, which is paid for, may still be there earlier.
DownloadPatience::Step DownloadPatience::after_lag(Clock::Time now, Wish wish) {
  if (now >= limit_) return {};
  const milliseconds left = std::chrono::ceil<milliseconds>(limit_ - now);
  if (wish && *wish > left) wish = RetryPolicy::kLongestDelay;
  const unsigned lags = lags_++;
  if (lags == 0 && !wish) return {Step::fresh_url};
  const milliseconds own = std::min(retries_.delay(std::max(lags, 1u)), RetryPolicy::kLongestDelay);
  return {Step::fresh_url, std::min(left, std::max(own, wish.value_or(milliseconds(0))))};
}

// Each answer brings all bytes again, so progress is no reason to hurry. A slow transfer may take all of the
// time, and only a second answer confirms the first, so that one is always asked for.
DownloadPatience::Step DownloadPatience::after_growth(Clock::Time now) {
  if (growths_ == 0) {
    ++growths_;
    return {Step::fresh_url, kGrowthPause};
  }
  if (now >= limit_) return {};
  const milliseconds left = std::chrono::ceil<milliseconds>(limit_ - now);
  const milliseconds own = kGrowthPause * (1u << std::min(growths_++, 3u));
  return {Step::fresh_url, std::min({left, own, RetryPolicy::kLongestDelay})};
}

DownloadPatience::Step DownloadPatience::retried(Step::Kind kind, Wish wish) {
  if (wish) wish = std::min(*wish, kMaxRetryAfter);
  const auto pause = retries_.delay_before(++failures_, wish);
  return pause ? Step{kind, *pause} : Step{};
}

uint64_t next_overlap(uint64_t overlap, uint64_t received, uint64_t gained) {
  const uint64_t part = std::min(received / kOverlapPart, kMostOverlap);
  if (gained >= overlap) return std::max(overlap, part);
  if (gained > 0 || overlap > kUsualLeastOverlap)
    return std::min(overlap, std::max(part, kUsualLeastOverlap));
  return std::max<uint64_t>(std::min(overlap, received) / 2, 1);
}

}  // namespace genclip
