// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ranks of a binomial distribution, by its normal approximation; ratios by resampling.
#include "tests/bench/estimate.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace genclip::bench {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

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

Estimate ratio_of_medians(const std::vector<double> &ours, const std::vector<double> &theirs) {
  constexpr size_t kResamplings = 2000;
  std::mt19937 random(1);
  std::uniform_int_distribution<size_t> pair(0, ours.size() - 1);
  std::vector<double> ratios;
  std::vector<double> some_ours(ours.size()), some_theirs(ours.size());
  for (size_t round = 0; round < kResamplings; ++round) {
    for (size_t i = 0; i < ours.size(); ++i) {
      const size_t chosen = pair(random);
      some_ours[i] = ours[chosen];
      some_theirs[i] = theirs[chosen];
    }
    ratios.push_back(median(some_ours) / median(some_theirs));
  }
  std::sort(ratios.begin(), ratios.end());
  return {median(ours) / median(theirs), ratios[kResamplings / 40], ratios[kResamplings - kResamplings / 40]};
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
