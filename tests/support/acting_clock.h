// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Something happens while somebody sleeps.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "tests/support/fake_clock.h"

namespace genclip::test {

// Does something before the n-th sleep.
class ActingClock final : public Clock {
 public:
  ActingClock(FakeClock &clock, std::map<int, std::function<void()>> acts)
      : clock_(clock), acts_(std::move(acts)) {}
  Time now() const override { return clock_.now(); }
  WallTime wall_now() const override { return clock_.wall_now(); }
  bool sleep_until(Time time, GCancellable *cancellable) override {
    if (const auto act = acts_.find(++sleeps_); act != acts_.end()) act->second();
    return clock_.sleep_until(time, cancellable);
  }

 private:
  FakeClock &clock_;
  const std::map<int, std::function<void()>> acts_;
  int sleeps_ = 0;
};

}  // namespace genclip::test
