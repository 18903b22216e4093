// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides how a download goes on after an exchange that did not bring the rest of the clip. Pure: time and
// chance are arguments.
//
// Services call a task completed before its media are everywhere. So media that have never been served are
// asked for again for minutes, with a fresh URL each time; the clip is paid. So are media that are still
// being written. Otherwise, once a byte has arrived, the media exist, and `retries` bounds the tries without
// progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "plugin/base/clock.h"
#include "plugin/http/retry_policy.h"

namespace genclip {

// Why an exchange did not bring the rest of the clip.
enum class Setback {
  broken,      // The connection failed or broke off, or the answer was of no use; the URL may be right.
  busy,        // The server answers that it cannot serve the clip now.
  missing,     // The server has no clip at this URL, or something else than a clip, or breaks off before it.
  refused,     // The server does not accept the URL, or the service gave no URL.
  growing,     // The server has a part of a clip where all of it is meant to be; it may be writing the rest.
  other_kind,  // What came is a picture instead of a video, or the other way round.
  lasting,     // The same request would fail again.
};

// True if media that were never served may still come after it.
bool may_lag(Setback setback);

class DownloadPatience {
 public:
  struct Step {
    enum Kind { give_up, again, fresh_url };
    Kind kind = give_up;
    std::chrono::milliseconds pause{0};  // Before it.
  };
  using Wish = std::optional<std::chrono::milliseconds>;  // Retry-After.

  // For this long, media are asked for that have never been served.
  static constexpr std::chrono::minutes kLagPatience{5};
  // The first of the growing pauses after a part of a clip.
  static constexpr std::chrono::seconds kGrowthPause{5};
  // So many fresh URLs in a row may be refused.
  static constexpr unsigned kMaxFreshUrls = 3;

  // Borrows `retries`, which must outlive it. `deadline`: of the run; nothing: none.
  DownloadPatience(const RetryPolicy &retries, Clock::Time begin, std::optional<Clock::Time> deadline)
      : retries_(retries), limit_(begin + kLagPatience) {
    if (deadline && *deadline < limit_) limit_ = *deadline;
  }

  // So many new bytes are worth a connection.
  static constexpr uint64_t kWorthAConnection = uint64_t{64} << 10;
  // So many connections in a row may bring less before there are pauses. Hosts count them.
  static constexpr unsigned kMostWithoutPause = 20;

  // The download has this many more bytes of the clip than ever before.
  void progressed(uint64_t gained) {
    failures_ = fresh_urls_ = lags_ = 0;
    has_progressed_ = true;
    short_ = gained < kWorthAConnection ? short_ + 1 : 0;
  }
  // `has_arrived`: a byte of the clip was served, in this run or an earlier one.
  Step after(Setback setback, bool has_arrived, Clock::Time now, Wish wish);

  // When media that were never served are given up.
  Clock::Time limit() const { return limit_; }

 private:
  Step after_lag(Clock::Time now, Wish wish);
  Step after_growth(Clock::Time now);
  Step retried(Step::Kind kind, Wish wish);

  const RetryPolicy &retries_;
  Clock::Time limit_;
  unsigned failures_ = 0;        // In a row, without progress.
  unsigned fresh_urls_ = 0;      // Likewise.
  unsigned lags_ = 0;            // Likewise.
  unsigned growths_ = 0;         // In all.
  bool has_progressed_ = false;  // In the last exchange.
  unsigned short_ = 0;           // Exchanges in a row that brought new bytes, but few.
};

// How many bytes that are there the next exchange asks for again, to compare them: after one that compared up
// to `overlap`, received `received` bytes in all and `gained` new ones. A link that breaks often must not
// spend itself on these, and one that breaks after a few bytes still brings a new one.
uint64_t next_overlap(uint64_t overlap, uint64_t received, uint64_t gained);
constexpr uint64_t kMostOverlap = 4096;

}  // namespace genclip
