// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/account/wait_history.h"

#include <algorithm>

namespace genclip {
namespace {

// Of a clip of that duration (s).
struct WaitOfDuration {
  double duration;
  Wait wait;
};

std::vector<Wait> moved_along_the_line(double duration, const std::vector<WaitOfDuration> &points) {
  double mean_duration = 0, mean_seconds = 0;
  for (const WaitOfDuration &point : points) {
    mean_duration += point.duration / static_cast<double>(points.size());
    mean_seconds += point.wait.seconds / static_cast<double>(points.size());
  }
  double spread = 0, common = 0;
  for (const WaitOfDuration &point : points) {
    spread += (point.duration - mean_duration) * (point.duration - mean_duration);
    common += (point.duration - mean_duration) * (point.wait.seconds - mean_seconds);
  }
  const bool is_one_duration = std::all_of(points.begin(), points.end(), [&](const WaitOfDuration &point) {
    return point.duration == points.front().duration;
  });
  std::vector<Wait> waits;
  if (points.empty() || is_one_duration || spread <= 0) return waits;
  for (const WaitOfDuration &point : points) {
    const double seconds = point.wait.seconds + common / spread * (duration - point.duration);
    if (seconds > 0) waits.push_back({seconds, point.wait.error});
  }
  return waits;
}

}  // namespace

void WaitHistory::add(const PriceClass &price_class, const Wait &wait) {
  auto &waits = classes_[price_class];
  waits.push_back(wait);
  if (waits.size() > kKept) waits.pop_front();
}

std::vector<Wait> likely_waits(const WaitHistory &history, const ChargeFacts &facts) {
  const PriceClass wanted = price_class_of(facts);
  if (const auto same = history.classes().find(wanted); same != history.classes().end())
    return {same->second.begin(), same->second.end()};
  std::vector<WaitOfDuration> points;
  for (const auto &[price_class, waits] : history.classes()) {
    if (price_class.base_url != wanted.base_url || price_class.model != wanted.model) continue;
    if (price_class.resolution != wanted.resolution || price_class.size != wanted.size) continue;
    if (!price_class.duration) continue;
    for (const Wait &wait : waits) points.push_back({*price_class.duration, wait});
  }
  return wanted.duration ? moved_along_the_line(*wanted.duration, points) : std::vector<Wait>();
}

}  // namespace genclip
