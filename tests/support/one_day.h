// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Days of UTC, by which budgets count.
#pragma once

#include <chrono>
#include <thread>

namespace genclip::test {

// Waits for midnight if it is nearer than a test takes that spends what a day allows.
inline void stay_within_one_day() {
  const auto now = std::chrono::system_clock::now();
  const auto midnight = std::chrono::ceil<std::chrono::days>(now);
  if (midnight - now < std::chrono::seconds(30)) std::this_thread::sleep_until(midnight);
}

}  // namespace genclip::test
