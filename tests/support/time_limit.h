// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Limits by the clock on the wall. A busy machine exceeds any, so only the suite `timing` measures them, with
// GENCLIP_TIMING=1; for all other tests a limit is there to end a hang.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>

#include "tests/support/give_up.h"

namespace genclip::test {

inline bool measures_time() { return std::getenv("GENCLIP_TIMING") != nullptr; }

// Longer than a busy machine delays anything.
constexpr std::chrono::milliseconds kHang = std::chrono::minutes(1);

constexpr std::chrono::milliseconds longest(std::chrono::milliseconds limit) {
  return std::max(limit, kHang);
}

// Runs it on another thread. Ends the program if it hangs.
template <typename Run>
void expect_end(Run run) {
  const auto ended = std::async(std::launch::async, run);
  if (ended.wait_for(kHang) != std::future_status::ready) give_up("It does not end.");
}

inline std::chrono::milliseconds time_limit(std::chrono::milliseconds limit) {
  return measures_time() ? limit : longest(limit);
}

}  // namespace genclip::test
