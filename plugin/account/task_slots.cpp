// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/account/task_slots.h"

#include <algorithm>
#include <chrono>

namespace genclip {
namespace {

using std::chrono::duration;

constexpr duration<double> kShortestHold = std::chrono::minutes(2);
constexpr duration<double> kUsualHold = std::chrono::minutes(30);
constexpr double kLongestTasks = 3;

duration<double> hold_of(const Account &account, const Charge &charge) {
  const std::vector<Wait> waits = likely_waits(account.waits(), charge);
  if (waits.empty()) return kUsualHold;
  const auto longest = std::ranges::max_element(waits, {}, &Wait::seconds);
  return std::max(kShortestHold, duration<double>(kLongestTasks * longest->seconds));
}

}  // namespace

std::vector<std::string> taken_slots(const Account &account, UtcTime now) {
  std::vector<std::string> keys;
  for (const Charge &charge : account.charges())
    if (charge.is_under_way() && duration<double>(now - charge.end) < hold_of(account, charge))
      keys.push_back(charge.key);
  return keys;
}

}  // namespace genclip
