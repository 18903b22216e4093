// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When a task will be completed, as far as its progress and earlier tasks tell.
//
// Each moment of the next hour gets a weight: how likely the task is completed then. Two things make the
// weight. Earlier tasks of the same shape were mostly near some moment; a tenth may take much longer. And the
// task's own progress grows evenly from some moment on, at a rate that nobody knows: the more rates lead from
// there to what was answered, the likelier the moment. The first answers allow many moments, later ones few.
#pragma once

#include <array>
#include <optional>
#include <vector>

namespace genclip {

// How long an earlier task of the same shape took, in seconds since the answer to its submit, give or take
// `error`.
struct PastWait {
  double seconds = 0;
  double error = 0;
};

// A task that is not completed now.
struct Outlook {
  static constexpr double kGrain = 0.25;  // s
  static constexpr size_t kMoments = 161;

  // The probability that it is not completed in so many grains from now either.
  std::array<double, kMoments> unfinished{};
  // Seconds until it is completed, as likely more as less; nothing: unknown.
  std::optional<double> eta;
  // It takes longer than each of the earlier ones, and its progress does not tell when it ends.
  bool is_overdue = false;
};

// All times are seconds since the answer to the submit. A plain value; one thread.
class TaskForecast {
 public:
  TaskForecast() = default;
  explicit TaskForecast(const std::vector<PastWait> &past);

  // An answer for a task that is not completed. `progress`: percent, -1 unknown.
  void saw(double at, int progress);

  Outlook outlook(double now) const;

 private:
  // A bell curve.
  struct Usual {
    double at;
    double spread;  // Its standard deviation.
  };
  // Between which moments the answers had that percentage.
  struct Step {
    int progress;
    double first;
    double last;
  };

  double weight_by_past(double at) const;
  double weight_by_progress(double at, double slack) const;
  double slack_for(double now) const;

  std::optional<Usual> usual_;
  double longest_ = 0;
  std::vector<Step> steps_;
  int grain_ = 0;  // Of the percentages, as far as they were seen.
};

}  // namespace genclip
