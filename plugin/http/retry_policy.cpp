// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/retry_policy.h"

#include <libsoup/soup.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;

constexpr std::array kTransientStatuses = {408u, 425u, 429u, 500u, 502u, 503u, 504u,
                                           // Of common gateways: origin down, timed out, unreachable,
                                           // and overloaded.
                                           520u, 521u, 522u, 523u, 524u, 529u};

constexpr std::chrono::seconds kLastDate{7'258'118'400};  // The year 2200.

}  // namespace

std::optional<milliseconds> parse_retry_after(std::string_view text, Clock::WallTime wall_now,
                                              milliseconds longest) {
  const std::string value(trimmed(text));
  if (value.empty() || value.size() > 64 || value.find('\0') != value.npos) return std::nullopt;
  // Digits, perhaps with decimals. "1.", ".5" and "1e3" do not count.
  if (value.find_first_not_of("0123456789.") == value.npos && !value.starts_with('.') &&
      !value.ends_with('.')) {
    const auto seconds = parse_number<double>(value);
    if (!seconds) return std::nullopt;
    const double limit = std::chrono::duration<double>(longest).count();
    return milliseconds(std::llround(std::min(*seconds, limit) * 1000));
  }
  const auto date = GRef<GDateTime>::adopt(soup_date_time_new_from_http_string(value.c_str()));
  if (!date) return std::nullopt;
  // Whole seconds, because the year 9999 in nanoseconds would overflow.
  const std::chrono::seconds then(g_date_time_to_unix(date.get()));
  const auto now = wall_now.time_since_epoch();
  if (then <= std::chrono::floor<std::chrono::seconds>(now)) return milliseconds(0);
  if (then >= std::chrono::ceil<std::chrono::seconds>(now + longest)) return longest;
  return std::chrono::ceil<milliseconds>(then - now);
}

std::optional<milliseconds> retry_after_of(const HttpReply &reply, Clock::WallTime wall_now,
                                           milliseconds longest) {
  const auto wished = reply.header("Retry-After");
  if (!wished) return std::nullopt;
  const auto date =
      GRef<GDateTime>::adopt(soup_date_time_new_from_http_string(reply.header("Date").value_or("").c_str()));
  // Far dates would overflow.
  const std::chrono::seconds sent(date ? g_date_time_to_unix(date.get()) : 0);
  if (date && sent > std::chrono::seconds(0) && sent < kLastDate) wall_now = Clock::WallTime(sent);
  return parse_retry_after(*wished, wall_now, longest);
}

bool is_transient_status(unsigned status) {
  return std::find(kTransientStatuses.begin(), kTransientStatuses.end(), status) != kTransientStatuses.end();
}

RetryPolicy::Random RetryPolicy::system_random() {
  return [] {
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

RetryPolicy::RetryPolicy(unsigned retries, Random random) : retries_(retries), random_(std::move(random)) {}

std::optional<milliseconds> RetryPolicy::delay_before(unsigned attempt,
                                                      std::optional<milliseconds> retry_after) const {
  if (attempt == 0 || attempt > retries_) return std::nullopt;
  return delay(attempt, retry_after);
}

milliseconds RetryPolicy::delay(unsigned attempt, std::optional<milliseconds> retry_after) const {
  // 2^16 first delays are above the longest one already.
  const unsigned doublings = std::min(std::max(attempt, 1u) - 1, 16u);
  const milliseconds backoff = std::min(kLongestDelay, kFirstDelay * (int64_t{1} << doublings));
  const double jitter = kJitter * static_cast<double>(backoff.count());
  if (retry_after)
    return std::max(milliseconds(0), *retry_after) + milliseconds(std::llround(random_() * jitter));
  return backoff + milliseconds(std::llround((2 * random_() - 1) * jitter));
}

}  // namespace genclip
