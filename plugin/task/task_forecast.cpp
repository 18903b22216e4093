// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace genclip {
namespace {

// So many tasks keep to no forecast.
constexpr double kStrays = 0.1;
// Past the moments of an outlook, each is so much later than the one before, up to this time from now.
constexpr double kGrowth = 1.1;
constexpr double kFarthest = 3600;  // s
// Progress that is less even than so many percent tells nothing.
constexpr double kMostSlack = 16;

double square(double value) { return value * value; }

double bell_up_to(double at) { return std::erfc(-at / std::sqrt(2.0)) / 2; }

double middle_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

// Tries bell curves of many places and widths. Each counts as much as it makes what was seen likely.
TaskForecast::TaskForecast(const std::vector<PastWait> &past) {
  if (past.empty()) return;
  constexpr int kPlaces = 24, kWidths = 8;
  constexpr double kNarrowest = 0.003, kWider = 1.75;  // As a share of the time.
  std::vector<double> seconds, distances;
  double error = 0;
  for (const PastWait &wait : past) {
    seconds.push_back(wait.seconds);
    error = std::max(error, wait.error);
    longest_ = std::max(longest_, wait.seconds + wait.error);
  }
  const double middle = middle_of(seconds);
  for (const double one : seconds) distances.push_back(std::abs(one - middle));
  const double reach = 2 * middle_of(distances) + error;
  double all = 0, mean = 0, squares = 0, variance = 0;
  for (int place = -kPlaces; place <= kPlaces; ++place) {
    const double at = middle + reach * place / kPlaces;
    double width = kNarrowest * middle;
    for (int i = 0; i < kWidths && at > 0; ++i, width *= kWider) {
      double likely = 1;
      for (const PastWait &wait : past) {
        const double within = bell_up_to((wait.seconds + wait.error - at) / width) -
                              bell_up_to((wait.seconds - wait.error - at) / width);
        likely *= (1 - kStrays) * within + kStrays * 2 * std::max(wait.error, width) / middle;
      }
      all += likely;
      mean += likely * at;
      squares += likely * square(at);
      variance += likely * square(width);
    }
  }
  if (!(all > 0)) return;
  mean /= all;
  usual_ = {mean, std::sqrt(variance / all + std::max(0.0, squares / all - square(mean)))};
}

void TaskForecast::saw(double at, int progress) {
  if (progress < 0 || progress >= 100) return;
  // It began anew: what it told before says nothing about its end.
  if (!steps_.empty() && progress < steps_.back().progress) {
    steps_.clear();
    grain_ = 0;
  }
  if (!steps_.empty() && progress == steps_.back().progress) {
    steps_.back().last = at;
    return;
  }
  steps_.push_back({progress, at, at});
  grain_ = std::gcd(grain_, progress);
}

double TaskForecast::weight_by_past(double at) const {
  if (!usual_) return 1 / (at + 1);
  const double stray = at < usual_->at ? 0.2 / usual_->at : 0.8 / usual_->at * std::exp(1 - at / usual_->at);
  const double off = (at - usual_->at) / usual_->spread;
  return kStrays * stray + (1 - kStrays) * 0.4 / usual_->spread * std::exp(-square(off) / 2);
}

// How many rates (in seconds for each percent) lead to 100 % at that moment. A service that counts in steps
// says the same until the next step is reached; the steps are what all percentages are multiples of. `slack`:
// how far from even the progress may be, in percent.
double TaskForecast::weight_by_progress(double at, double slack) const {
  double least = 0, most = at / 100;  // It did not begin before the submit.
  for (const Step &step : steps_) {
    const double left = 100 - step.progress + slack;
    if (step.progress > 0) least = std::max(least, (at - step.first) / left);
    const double left_then = 100 - step.progress - grain_ - slack;
    if (grain_ > 0 && left_then > 0) most = std::min(most, (at - step.last) / left_then);
  }
  return std::max(0.0, most - least);
}

Outlook TaskForecast::outlook(double now) const {
  struct Moment {
    double at;
    double weight;
  };
  std::vector<Moment> moments;
  double length = Outlook::kGrain;
  for (double at = now; at < now + kFarthest; at += length) {
    if (moments.size() + 1 >= Outlook::kMoments) length *= kGrowth;
    moments.push_back({at + length / 2, length * weight_by_past(at + length / 2)});
  }
  const auto sum = [&] {
    return std::accumulate(moments.begin(), moments.end(), 0.0,
                           [](double all, const Moment &moment) { return all + moment.weight; });
  };
  bool is_even = false;
  for (double slack = 0.01; !steps_.empty() && !is_even && slack <= kMostSlack; slack *= 4) {
    auto weighed = moments;
    for (Moment &moment : weighed) moment.weight *= weight_by_progress(moment.at, slack);
    std::swap(weighed, moments);
    is_even = sum() > 0;
    if (!is_even) std::swap(weighed, moments);
  }
  const auto moves =
      std::count_if(steps_.begin(), steps_.end(), [](const Step &step) { return step.progress > 0; });
  const bool tells = is_even && moves >= 2;

  Outlook outlook;
  const double all = sum();
  double left = all;
  std::optional<double> median;
  for (size_t i = 0; i < moments.size(); ++i) {
    if (i < Outlook::kMoments) outlook.unfinished[i] = all > 0 ? left / all : 1;
    left -= moments[i].weight;
    if (!median && left <= all / 2) median = moments[i].at - now;
  }
  outlook.is_overdue = longest_ > 0 && now > longest_ && !tells;
  if ((usual_ || tells) && !outlook.is_overdue) outlook.eta = median;
  return outlook;
}

}  // namespace genclip
