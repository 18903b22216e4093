// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/poll_schedule.h"

#include <algorithm>
#include <array>

namespace genclip {
namespace {

// Seconds that a completed clip may wait unseen for the price of one query.
constexpr double kQueryCost = 0.3;
constexpr size_t kShortest = static_cast<size_t>(kShortestPause / Outlook::kGrain);
constexpr size_t kLongest = static_cast<size_t>(kLongestPause / Outlook::kGrain);

// A tenth of an interval that a user has set. Otherwise, as much as keeps the longest pause within the
// service's 10 s; and little where a query aims at a moment.
double jitter_of(double pause, bool aims) {
  if (!aims) return pause / 10;
  return pause == kLongestPause ? 0.5 : 0.1;
}

}  // namespace

// Backwards from the last moment: what it costs to go on from there, if the task is not completed before. The
// costs of a moment are weighed with the probability of coming there.
std::chrono::milliseconds shorter_interval(std::chrono::milliseconds one, std::chrono::milliseconds other) {
  constexpr auto length = [](std::chrono::milliseconds interval) -> std::chrono::duration<double> {
    return interval.count() == 0 ? std::chrono::duration<double>(kShortestPause) : interval;
  };
  return length(other) < length(one) ? other : one;
}

double best_pause(const Outlook &outlook) {
  const auto &alive = outlook.unfinished;
  std::array<double, Outlook::kMoments> waited{}, cost{};
  for (size_t i = 1; i < alive.size(); ++i)
    waited[i] = waited[i - 1] + (alive[i - 1] + alive[i]) / 2 * Outlook::kGrain;
  size_t best = kLongest;
  for (size_t i = alive.size() - kLongest; i-- > 0;) {
    double least = 0;
    for (size_t pause = kShortest; pause <= kLongest; ++pause) {
      const size_t then = i + pause;
      const double unseen =
          static_cast<double>(pause) * Outlook::kGrain * alive[i] - (waited[then] - waited[i]);
      const double all = unseen + kQueryCost * alive[i] + cost[then];
      if (pause > kShortest && all > least) continue;
      least = all;
      if (i == 0) best = pause;
    }
    cost[i] = least;
  }
  return static_cast<double>(best) * Outlook::kGrain;
}

std::optional<Clock::Time> PollSchedule::next(Clock::Time now, double jitter, const Outlook &outlook) const {
  using Seconds = std::chrono::duration<double>;
  if (deadline_ && now >= *deadline_) return std::nullopt;
  const bool aims = interval_.count() == 0;
  const double pause = aims ? best_pause(outlook) : Seconds(interval_).count();
  const Clock::Time time = now + std::chrono::duration_cast<Clock::Time::duration>(
                                     Seconds(pause + jitter * jitter_of(pause, aims)));
  return deadline_ ? std::min(time, *deadline_) : time;
}

}  // namespace genclip
