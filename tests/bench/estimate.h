// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What repeated measurements say: the median, and how far it can be trusted.
#pragma once

#include <vector>

namespace genclip::bench {

// `low` to `high` holds the true median with 95 % probability, whatever the distribution (order statistics).
struct Estimate {
  double median = 0, low = 0, high = 0;
};

Estimate estimate(std::vector<double> values);

// Of `ours` to `theirs`: the ratio of their medians, with the interval that 95 of 100 resamplings of the
// pairs fall into (bootstrap). Pairs were measured side by side.
Estimate ratio_of_medians(const std::vector<double> &ours, const std::vector<double> &theirs);

// How much `values` grow from one to the next, by least squares.
double slope(const std::vector<double> &values);

}  // namespace genclip::bench
