// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Three rules, from the closest to the widest.
#include "plugin/account/estimate.h"

#include <algorithm>
#include <vector>

namespace genclip {
namespace {

Estimate range_of(std::vector<double> amounts, const char *basis) {
  std::sort(amounts.begin(), amounts.end());
  const size_t middle = amounts.size() / 2;
  const double median =
      amounts.size() % 2 == 1 ? amounts[middle] : (amounts[middle - 1] + amounts[middle]) / 2;
  return {amounts.front(), median, amounts.back(), static_cast<unsigned>(amounts.size()), basis};
}

struct Point {
  double duration;
  double amount;
};

// Nothing: no line goes through them, or it says that clips of that duration are for nothing.
std::optional<Estimate> line_at(double duration, const std::vector<Point> &points) {
  if (points.empty()) return std::nullopt;
  const auto count = static_cast<double>(points.size());
  double mean_duration = 0, mean_amount = 0;
  for (const Point &point : points) {
    mean_duration += point.duration / count;
    mean_amount += point.amount / count;
  }
  double spread = 0, common = 0;
  for (const Point &point : points) {
    spread += (point.duration - mean_duration) * (point.duration - mean_duration);
    common += (point.duration - mean_duration) * (point.amount - mean_amount);
  }
  const bool is_one_duration = std::all_of(points.begin(), points.end(), [&](const Point &point) {
    return point.duration == points.front().duration;
  });
  if (is_one_duration || spread <= 0) return std::nullopt;
  const double slope = common / spread;
  const auto amount_at = [&](double at) { return mean_amount + slope * (at - mean_duration); };
  const double likely = amount_at(duration);
  if (!(likely > 0)) return std::nullopt;
  double below = 0, above = 0;
  for (const Point &point : points) {
    below = std::max(below, amount_at(point.duration) - point.amount);
    above = std::max(above, point.amount - amount_at(point.duration));
  }
  return Estimate{std::max(0.0, likely - below), likely, likely + above, static_cast<unsigned>(points.size()),
                  "line"};
}

// The rules, the surest first.
constexpr std::string_view kBases[] = {"paid", "same", "line", "range", "assumed"};

size_t doubt_of(const Estimate &estimate) {
  return static_cast<size_t>(std::find(std::begin(kBases), std::end(kBases), estimate.basis) - kBases);
}

}  // namespace

std::optional<Estimate> estimate_price(const PriceHistory &history, const ChargeFacts &facts) {
  const PriceClass wanted = price_class_of(facts);
  std::vector<double> same, of_model;
  std::vector<Point> points;
  for (const auto &[price_class, samples] : history.classes()) {
    if (price_class.base_url != wanted.base_url || price_class.model != wanted.model) continue;
    const bool is_as_large = price_class.resolution == wanted.resolution && price_class.size == wanted.size;
    for (const PriceHistory::Sample &sample : samples) {
      of_model.push_back(sample.amount);
      if (price_class == wanted) same.push_back(sample.amount);
      if (is_as_large && price_class.duration) points.push_back({*price_class.duration, sample.amount});
    }
  }
  if (!same.empty()) return range_of(std::move(same), "same");
  if (wanted.duration)
    if (auto line = line_at(*wanted.duration, points)) return line;
  if (!of_model.empty()) return range_of(std::move(of_model), "range");
  return std::nullopt;
}

Estimate sum_of(const std::vector<Estimate> &estimates) {
  Estimate sum = estimates.front();
  for (auto estimate = estimates.begin() + 1; estimate != estimates.end(); ++estimate) {
    sum.low += estimate->low;
    sum.likely += estimate->likely;
    sum.high += estimate->high;
    sum.samples = std::min(sum.samples, estimate->samples);
    if (doubt_of(*estimate) > doubt_of(sum)) sum.basis = estimate->basis;
  }
  return sum;
}

std::optional<Estimate> total_of(const std::vector<std::optional<Estimate>> &estimates,
                                 double assumed_price) {
  std::vector<Estimate> known;
  for (const auto &estimate : estimates) {
    if (!estimate && assumed_price <= 0) return std::nullopt;
    known.push_back(estimate.value_or(Estimate{assumed_price, assumed_price, assumed_price, 0, "assumed"}));
  }
  return sum_of(known);
}

}  // namespace genclip
