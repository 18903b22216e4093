// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How long live captions take from their picture to their text, and whether `latency` is enough. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

#include "plugin/base/error.h"

namespace genclip {

class ObservedLatency {
 public:
  explicit ObservedLatency(std::chrono::milliseconds latency = {}) : latency_(latency) {}

  // A caption took so long, or was given up after that time.
  void add(std::chrono::nanoseconds took, bool late);

  std::chrono::nanoseconds longest() const { return longest_; }

  // A warning that `latency` is too short: when several of the last hundred captions, and not just a few of
  // them, were late. Once, until that was over: a channel runs for days, so neither must its good days hide a
  // bad one, nor the first bad one those after it.
  std::optional<Error> warning();

 private:
  struct Caption {
    std::chrono::nanoseconds took;
    bool late;
  };

  std::chrono::milliseconds latency_;
  std::chrono::nanoseconds longest_{};  // of all
  std::deque<Caption> last_;
  size_t late_ = 0;  // of the last ones
  bool has_warned_ = false;
};

}  // namespace genclip
