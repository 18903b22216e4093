// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Statistics of repeated measurements: the median and its confidence interval.
#pragma once

#include <vector>

namespace genclip::bench {

// `low` to `high` holds the true median with 95 % probability, whatever the distribution (order statistics).
struct Estimate {
  double median = 0, low = 0, high = 0;
};

Estimate estimate(std::vector<double> values);

// Ratio of the medians of `ours` and `theirs`, with the interval of 95 of 100 resamplings of the pairs
// (bootstrap). Pairs were measured side by side.
Estimate ratio_of_medians(const std::vector<double> &ours, const std::vector<double> &theirs);

// Growth of `values` per step, by least squares.
double slope(const std::vector<double> &values);

}  // namespace genclip::bench
