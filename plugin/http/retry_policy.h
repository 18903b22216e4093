// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When to try again, and how long to wait before; nothing here waits.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "plugin/base/clock.h"
#include "plugin/http/http_client.h"

namespace genclip {

// A longer wait than this is not granted to a server.
constexpr std::chrono::milliseconds kMaxRetryAfter = std::chrono::minutes(10);

// The wait that a Retry-After header asks for: seconds, decimals too, or an HTTP date (past: 0). At most
// `longest`. Nothing when it makes no sense.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text, Clock::WallTime wall_now, std::chrono::milliseconds longest = kMaxRetryAfter);

// The same of an answer; a date is compared with the answer's own Date, where it has one, for the server's
// clock may differ from this one.
std::optional<std::chrono::milliseconds> retry_after_of(const HttpReply &reply, Clock::WallTime wall_now,
                                                        std::chrono::milliseconds longest = kMaxRetryAfter);

// True of the statuses after which the same GET may do better.
bool is_transient_status(unsigned status);

class RetryPolicy {
 public:
  // Gives numbers from 0 to below 1, evenly.
  using Random = std::function<double()>;

  static constexpr std::chrono::milliseconds kFirstDelay{500};
  static constexpr std::chrono::milliseconds kLongestDelay{30000};
  static constexpr double kJitter = 0.25;  // Of the delay, up or down.

  explicit RetryPolicy(unsigned retries, Random random = system_random());

  unsigned retries() const { return retries_; }

  // The wait before retry number `attempt`, from 1; nothing when that is one too many. A wait that the server
  // asks for is kept to, with the jitter on top only, so that not all come back at once.
  std::optional<std::chrono::milliseconds> delay_before(
      unsigned attempt, std::optional<std::chrono::milliseconds> retry_after = std::nullopt) const;
  // The same, of tries that nobody counts.
  std::chrono::milliseconds delay(unsigned attempt,
                                  std::optional<std::chrono::milliseconds> retry_after = std::nullopt) const;

 private:
  static Random system_random();

  unsigned retries_;
  Random random_;
};

}  // namespace genclip
