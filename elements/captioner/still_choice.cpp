// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/still_choice.h"

#include <algorithm>

namespace genclip {
namespace {

double distance(double a, double b) { return a < b ? b - a : a - b; }

}  // namespace

std::vector<size_t> spread_stills(const std::vector<uint64_t> &times, size_t count) {
  std::vector<size_t> chosen;
  if (times.empty()) return chosen;
  count = std::min(count, times.size());
  const auto first = static_cast<double>(times.front());
  // Each picture stands until the next one, the last one as long as the others.
  const auto steps = static_cast<double>(std::max<size_t>(times.size() - 1, 1));
  const double length = (static_cast<double>(times.back()) - first) * (steps + 1) / steps;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    const double wanted = first + length * static_cast<double>(2 * i + 1) / static_cast<double>(2 * count);
    // Leaves enough for the others.
    const size_t last = times.size() - (count - i);
    while (at < last && distance(static_cast<double>(times[at + 1]), wanted) <
                            distance(static_cast<double>(times[at]), wanted))
      ++at;
    chosen.push_back(at++);
  }
  return chosen;
}

}  // namespace genclip
