// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How long tasks took until they were completed, by all that this hangs on.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "plugin/account/price_history.h"

namespace genclip {

// How long a task took, from the answer to its submit. It was not completed `error` before that, and it was
// `error` after it: between these, a run that follows a task does not look.
struct Wait {
  double seconds = 0;
  double error = 0;  // s

  friend bool operator==(const Wait &, const Wait &) = default;
};

// Keeps the latest kKept of each class. Requests that cost the same take the same time, as far as anybody can
// tell beforehand. A plain value.
class WaitHistory {
 public:
  static constexpr size_t kKept = 20;
  using Classes = std::map<PriceClass, std::deque<Wait>>;

  void add(const PriceClass &price_class, const Wait &wait);

  const Classes &classes() const { return classes_; }

 private:
  Classes classes_;
};

// What is known of the wait for such a request, by the first of these rules that applies, over tasks of the
// same base_url:
// - those of its class;
// - those with the same model and resolution or size, of at least two durations: each as long as it would
//   have been with the wanted duration, by a straight line through them (least squares).
// None: nothing is known. Pure.
std::vector<Wait> likely_waits(const WaitHistory &history, const ChargeFacts &facts);

}  // namespace genclip
