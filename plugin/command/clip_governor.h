// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides how many clips are made at once, and when the next may begin. Pure: no clock and no I/O.
//
// A service that is asked for too much answers 429 or 503. Then fewer clips begin at once: the width halves,
// and grows by one with each clip that is made. A wait that the service asks for holds for all clips, since
// it is about the account. Clips that are under way when the width halves go on, because their tasks are
// paid. Several of them may be refused at the same moment; that halves the width once.
//
// A spent budget or quota, or a service that refuses again and again, ends the beginnings: a pause. What has
// not begun stays for another run. What clips under way have reserved of the budget may be more than they
// cost, so the budget is spent only when it refuses a clip beside which there is no other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "plugin/base/clock.h"

namespace genclip {

struct GovernorSettings {
  unsigned jobs = 4;       // The most at once.
  bool fail_fast = false;  // A failure ends the beginnings.
};

class ClipGovernor {
 public:
  using Time = Clock::Time;

  // Why no further clip begins.
  enum class Halt { none, paused, failed, stopped };

  // `is_paid`: for each clip, whether it costs nothing more. Such a clip begins before the others, in a pause
  // too.
  ClipGovernor(const GovernorSettings &settings, const std::vector<bool> &is_paid);

  // The clip that is to begin now, which from here on is under way. Nothing: none can, or may.
  std::optional<size_t> next(Time now);
  // When to ask again, if nothing ends before; nothing: there is no such moment.
  std::optional<Time> wakes_at() const;

  // The service has accepted a submit.
  void accepted();
  // Ends. Each clip under way has one of these.
  void made(size_t clip);
  void failed(size_t clip);
  // Refused for now (429, 503): it begins again later. `wished`: Retry-After.
  void refused(size_t clip, Time now, std::optional<std::chrono::milliseconds> wished);
  // The store's budget has no room for it: it begins again when another one ends. Without another, it is
  // spent().
  void over_budget(size_t clip);
  // The budget or the quota is spent: it and the others stay pending.
  void spent(size_t clip);

  // The user ends the run.
  void stop() { halt_ = Halt::stopped; }

  Halt halt() const { return halt_; }
  unsigned width() const { return width_; }
  size_t under_way() const { return under_way_.size(); }
  // Neither under way nor about to begin: it is over.
  bool is_over() const;
  // Not begun, or refused for now. In their order.
  std::vector<size_t> pending() const;

  // A Retry-After from here on is not waited for: it pauses.
  static constexpr std::chrono::milliseconds kLongestHold = std::chrono::minutes(10);
  // A service that accepts nothing for so long, while nothing is under way, pauses it. A service that makes
  // some clips is at its limit.
  static constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(10);
  // Without Retry-After; doubles with each refusal in a row, up to the longest.
  static constexpr std::chrono::milliseconds kFirstHold{1000};
  static constexpr std::chrono::milliseconds kLongestOwnHold{60000};

 private:
  struct Begun {
    uint64_t halvings = 0, ends = 0;  // Those before it began.
  };

  void end(size_t clip);
  void halt(Halt why);
  bool may_begin_unpaid(Time now) const;

  const unsigned jobs_;
  const bool fail_fast_;
  std::set<size_t> paid_;  // Not under way, and not over.
  std::set<size_t> unpaid_;
  std::map<size_t, Begun> under_way_;
  unsigned width_;
  uint64_t halvings_ = 0;
  uint64_t ends_ = 0;        // Of clips that the budget had let begin.
  bool awaits_end_ = false;  // The budget may have room after the next of these.
  unsigned refusals_ = 0;    // In a row, several at the same moment as one.
  // When it first refused while nothing was under way, since it last accepted or made a clip.
  std::optional<Time> refused_since_;
  std::optional<Time> held_until_;
  Halt halt_ = Halt::none;
};

}  // namespace genclip
