// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides when to try again and how long to wait before. Nothing here waits.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "plugin/base/clock.h"
#include "plugin/http/http_client.h"

namespace genclip {

// If a server asks for a longer wait, the request is not repeated.
constexpr std::chrono::milliseconds kMaxRetryAfter = std::chrono::minutes(10);
// What is paid for is asked for again in any case. Then a longer wait counts as one day.
constexpr std::chrono::milliseconds kLongestWish = std::chrono::hours(24);

// The wait that a Retry-After header asks for, as seconds (decimals too) or an HTTP date (0 if it is past).
// At most `longest`. Nothing when it cannot be read.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text, Clock::WallTime wall_now, std::chrono::milliseconds longest = kMaxRetryAfter);

// The same for an answer. A date is compared with the answer's own Date if it has one, because the server's
// clock may differ from this one.
std::optional<std::chrono::milliseconds> retry_after_of(const HttpReply &reply, Clock::WallTime wall_now,
                                                        std::chrono::milliseconds longest = kMaxRetryAfter);

// True for the statuses after which the same GET may succeed.
bool is_transient_status(unsigned status);

class RetryPolicy {
 public:
  // Returns evenly distributed numbers from 0 to below 1.
  using Random = std::function<double()>;

  static constexpr std::chrono::milliseconds kFirstDelay{500};
  static constexpr std::chrono::milliseconds kLongestDelay{30000};
  static constexpr double kJitter = 0.25;  // Of the delay, up or down.

  explicit RetryPolicy(unsigned retries, Random random = system_random());

  unsigned retries() const { return retries_; }

  // The wait before retry number `attempt`, from 1; nothing when that is one too many. Never shorter than the
  // wait that the server asks for: jitter is only added to that, so that clients do not all return at once.
  std::optional<std::chrono::milliseconds> delay_before(
      unsigned attempt, std::optional<std::chrono::milliseconds> retry_after = std::nullopt) const;
  // The same without a limit on the number of tries.
  std::chrono::milliseconds delay(unsigned attempt,
                                  std::optional<std::chrono::milliseconds> retry_after = std::nullopt) const;

 private:
  static Random system_random();

  unsigned retries_;
  Random random_;
};

}  // namespace genclip
