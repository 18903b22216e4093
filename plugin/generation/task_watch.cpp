// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/task_watch.h"

#include <cmath>

namespace genclip {
namespace {

using Seconds = std::chrono::duration<double>;

// Between the last two answers; and between the times of both clocks.
constexpr double kLongestGap = 30;  // s
// For a task of which nobody knows when it was submitted.
constexpr auto kLongAgo = std::chrono::hours(24);

std::vector<PastWait> past_waits(const std::vector<Wait> &waits) {
  std::vector<PastWait> past;
  past.reserve(waits.size());
  for (const Wait &wait : waits) past.push_back({wait.seconds, wait.error});
  return past;
}

double to_hundredths(double seconds) { return std::round(seconds * 100) / 100; }

}  // namespace

TaskWatch::TaskWatch(Clock &clock, const std::vector<Wait> &past, Clock::Time begin)
    : clock_(&clock),
      begin_(begin),
      unfinished_(clock.now()),
      wall_begin_(clock.wall_now()),
      forecast_(past_waits(past)) {}

TaskWatch TaskWatch::of_submitted(Clock &clock, const std::vector<Wait> &past) {
  TaskWatch watch(clock, past, clock.now());
  watch.is_own_ = true;
  return watch;
}

TaskWatch TaskWatch::of_known(Clock &clock, const std::vector<Wait> &past, int64_t submitted_at) {
  const auto age = clock.wall_now() - Clock::WallTime(std::chrono::seconds(submitted_at));
  if (submitted_at > 0 && age >= age.zero() && age < kLongAgo)
    return {clock, past, clock.now() - std::chrono::duration_cast<Clock::Time::duration>(age)};
  return {clock, {}, clock.now() - kLongAgo};
}

double TaskWatch::since(Clock::Time time) const { return Seconds(clock_->now() - time).count(); }

void TaskWatch::saw(const Task &task) {
  if (task.status == TaskStatus::failed || wait_) return;
  if (task.status != TaskStatus::completed) {
    unfinished_ = clock_->now();
    forecast_.saw(since(begin_), task.progress);
    return;
  }
  const double gap = since(unfinished_), whole = since(begin_);
  const double slept = std::abs(Seconds(clock_->wall_now() - wall_begin_).count() - whole);
  if (is_own_ && gap <= kLongestGap && slept <= kLongestGap)
    wait_ = Wait{to_hundredths(whole - gap / 2), to_hundredths(gap / 2)};
  is_own_ = false;
}

}  // namespace genclip
