// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/observed_latency.h"

#include <algorithm>
#include <string>
#include <utility>

namespace genclip {
namespace {

using std::chrono::milliseconds;

// One slow answer is no reason to delay a channel.
constexpr size_t kLast = 100;
constexpr size_t kLeastLate = 3;
constexpr size_t kOneLateOf = 10;
constexpr milliseconds kStep{500};

// Up to the next half second, with a tenth to spare.
milliseconds enough_for(milliseconds took) {
  const milliseconds wanted = took + took / 10;
  return (wanted + kStep - milliseconds(1)) / kStep * kStep;
}

}  // namespace

void ObservedLatency::add(std::chrono::nanoseconds took, bool late) {
  longest_ = std::max(longest_, took);
  last_.push_back({took, late});
  late_ += late;
  if (last_.size() > kLast) {
    late_ -= last_.front().late;
    last_.pop_front();
  }
  // Not at the first caption that makes the share small enough: else a share about there would warn each
  // time.
  if (late_ < kLeastLate) has_warned_ = false;
}

std::optional<Error> ObservedLatency::warning() {
  if (has_warned_ || late_ < kLeastLate || late_ * kOneLateOf < last_.size()) return std::nullopt;
  has_warned_ = true;
  const auto slowest = std::max_element(last_.begin(), last_.end(), [](const Caption &a, const Caption &b) {
                         return a.took < b.took;
                       })->took;
  const auto longest = std::chrono::duration_cast<milliseconds>(slowest);
  return Error{ErrorKind::settings, std::to_string(late_) + " of the last " + std::to_string(last_.size()) +
                                        " live captions were late: latency is " +
                                        std::to_string(latency_.count()) + " ms, and the slowest took " +
                                        std::to_string(longest.count()) +
                                        " ms or more. If the gateway is always as slow, set latency to " +
                                        std::to_string(enough_for(longest).count()) + "."};
}

}  // namespace genclip
