// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Polling from history against polling at fixed intervals: tasks of several kinds, on a clock that is a
// number. With GENCLIP_POLLING_TASKS=20000 (the benchmark) it prints what docs/performance.md shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "plugin/task/poll_schedule.h"

namespace genclip {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr unsigned kFewTasks = 2000;
constexpr unsigned kShapes = 40;
constexpr size_t kKept = 20;

// The progress that the service reports when so much of the work is done (0 to 1): percent, -1 unknown.
struct Kind {
  const char *name;
  int (*progress)(double done);
};
constexpr Kind kKinds[] = {
    {"by 1 %", [](double done) { return static_cast<int>(done * 100); }},
    {"by 5 %", [](double done) { return static_cast<int>(done * 20) * 5; }},
    {"by 10 %", [](double done) { return static_cast<int>(done * 10) * 10; }},
    {"none", [](double) { return -1; }},
};

struct SimulatedTask {
  double queued;  // s, a part of the whole
  double whole;   // s

  int progress(const Kind &kind, double at) const {
    return kind.progress(std::clamp((at - queued) / (whole - queued), 0.0, 0.999));
  }
};

struct Outcome {
  double late = 0;
  unsigned queries = 0;
  double least_pause = 1e9;
  PastWait seen;
};

Clock::Time time_at(double seconds) {
  return Clock::Time() + std::chrono::duration_cast<Clock::Time::duration>(Seconds(seconds));
}

Outcome follow(const Kind &kind, const SimulatedTask &task, std::chrono::milliseconds interval,
               const std::vector<PastWait> &past, std::mt19937 &random) {
  const PollSchedule schedule(interval, std::nullopt);
  TaskForecast forecast(past);
  Outcome outcome;
  double now = 0;
  for (;;) {
    const double jitter = std::uniform_real_distribution(0.0, 1.0)(random);
    const auto next =
        schedule.next(time_at(now), jitter, interval.count() == 0 ? forecast.outlook(now) : Outlook());
    const double before = std::exchange(now, Seconds(*next - time_at(0)).count());
    outcome.least_pause = std::min(outcome.least_pause, now - before);
    ++outcome.queries;
    if (now >= task.whole) {
      outcome.late = now - task.whole;
      outcome.seen = {(before + now) / 2, (now - before) / 2};
      return outcome;
    }
    forecast.saw(now, task.progress(kind, now));
  }
}

struct Total {
  double late = 0;
  double queries = 0;
  double tasks = 0;
  double least_pause = 1e9;

  void add(const Outcome &outcome) {
    late += outcome.late;
    queries += outcome.queries;
    least_pause = std::min(least_pause, outcome.least_pause);
    ++tasks;
  }
};

struct Results {
  std::map<std::string, Total> kinds;
  Total all;
};

// Shapes take from 20 s to 10 min. Tasks of a shape differ by `spread` of that; one in ten takes up to three
// times as long.
Results poll(std::chrono::milliseconds interval, double spread, unsigned tasks) {
  std::mt19937 random(16);
  Results results;
  std::vector<double> times(kShapes);
  for (unsigned shape = 0; shape < kShapes; ++shape)
    times[shape] = 20 * std::pow(30.0, (shape + 0.5) / kShapes);
  std::map<unsigned, std::deque<PastWait>> history;
  for (unsigned i = 0; i < tasks; ++i) {
    const unsigned shape = i % kShapes;
    const Kind &kind = kKinds[shape % std::size(kKinds)];
    double whole = times[shape] * std::exp(std::normal_distribution(0.0, spread)(random));
    if (std::uniform_int_distribution(0, 9)(random) == 0)
      whole *= std::uniform_real_distribution(1.3, 3.0)(random);
    const SimulatedTask task{whole * std::uniform_real_distribution(0.02, 0.1)(random), whole};
    auto &past = history[shape];
    const Outcome outcome = follow(kind, task, interval, {past.begin(), past.end()}, random);
    past.push_back(outcome.seen);
    if (past.size() > kKept) past.pop_front();
    results.kinds[kind.name].add(outcome);
    results.all.add(outcome);
  }
  return results;
}

void print(const char *how, const Results &results) {
  for (const auto &[kind, total] : results.kinds)
    printf("%-12s %-7s late %.2f s, %.1f queries\n", how, kind.c_str(), total.late / total.tasks,
           total.queries / total.tasks);
  printf("%-12s %-7s late %.2f s, %.1f queries, least pause %.3f s\n", how, "all",
         results.all.late / results.all.tasks, results.all.queries / results.all.tasks,
         results.all.least_pause);
}

// How far tasks of a shape differ decides how well anybody can know when the next one ends. The goals are for
// a service that takes about as long for each; the benchmark prints others, too.
TEST(Polling, FromHistoryIsSoonerThanEvery5SecondsWithFewerQueries) {
  const char *wanted = g_getenv("GENCLIP_POLLING_TASKS");
  const unsigned tasks = wanted ? static_cast<unsigned>(g_ascii_strtoull(wanted, nullptr, 10)) : kFewTasks;
  constexpr double kSpread = 0.003;
  const Results five = poll(std::chrono::seconds(5), kSpread, tasks);
  const Results ten = poll(std::chrono::seconds(10), kSpread, tasks);
  const Results known = poll(std::chrono::milliseconds(0), kSpread, tasks);
  print("every 5 s", five);
  print("every 10 s", ten);
  print("from history", known);
  EXPECT_LE(known.all.late / known.all.tasks, wanted ? 1.2 : 1.4);  // Few tasks hardly learn.
  EXPECT_LE(known.all.queries, 0.6 * five.all.queries);
  EXPECT_GE(known.all.least_pause, 5);
  for (const auto &[kind, total] : known.kinds)
    EXPECT_LE(total.late / total.tasks, ten.kinds.at(kind).late / ten.kinds.at(kind).tasks) << kind;
  if (!wanted) return;
  for (const double spread : {0.005, 0.02, 0.05}) {
    printf("Tasks of a shape differ by %g %%:\n", spread * 100);
    const Results other = poll(std::chrono::milliseconds(0), spread, tasks);
    print("from history", other);
    EXPECT_LE(other.all.queries, 0.6 * five.all.queries);
    EXPECT_LE(other.all.late, five.all.late);
  }
}

}  // namespace
}  // namespace genclip
