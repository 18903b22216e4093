// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/bar.h"

#include <algorithm>

namespace genclip {
namespace {

constexpr size_t kWidestBar = 40;
constexpr size_t kNarrowestBar = 5;
constexpr size_t kPercentColumns = 5;

}  // namespace

std::string bar_text(size_t room, double part, std::string amount) {
  const size_t more = std::max(amount.size(), kPercentColumns) - kPercentColumns;
  if (room < kNarrowestBar + more) return {};
  const size_t width = std::min(room - more, kWidestBar);
  const auto done = static_cast<size_t>(static_cast<double>(width) * std::clamp(part, 0.0, 1.0));
  amount.insert(0, kPercentColumns - std::min(amount.size(), kPercentColumns), ' ');
  return "  [" + std::string(done, '#') + std::string(width - done, '-') + "]  " + amount;
}

}  // namespace genclip
