// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ranks of a binomial distribution, by its normal approximation.
#include "tests/bench/estimate.h"

#include <algorithm>
#include <cmath>

namespace genclip::bench {

Estimate estimate(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double count = static_cast<double>(values.size());
  const double reach = 0.98 * std::sqrt(count);
  const auto at = [&](double rank) {
    return values[static_cast<size_t>(std::clamp(std::floor(rank), 0.0, count - 1))];
  };
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, at(count / 2 - reach - 1), at(count / 2 + reach)};
}

double slope(const std::vector<double> &values) {
  const double count = static_cast<double>(values.size());
  const double middle = (count - 1) / 2;
  double mean = 0;
  for (const double value : values) mean += value / count;
  double above = 0, below = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    above += x * (values[i] - mean);
    below += x * x;
  }
  return below > 0 ? above / below : 0;
}

}  // namespace genclip::bench
