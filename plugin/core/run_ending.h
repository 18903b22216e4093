// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a run has ended, for programs: what became of the request, whether it was charged, and whether the same
// run again can help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/error.h"
#include "plugin/base/utc_time.h"
#include "plugin/base/words.h"

namespace genclip {

enum class Outcome {
  not_submitted,   // Nothing was sent, or it never reached the service.
  refused,         // The service refused the request.
  unknown,         // Whether there is a task, or what became of it, is unknown.
  running,         // The task was not done when the run ended.
  failed,          // The service tried and failed.
  paid_unfetched,  // The task is completed; its clip is not in the store yet.
  stored,          // The clip is in the store.
};
template <>
inline constexpr Word<Outcome> kWords<Outcome>[] = {{Outcome::not_submitted, "not-submitted"},
                                                    {Outcome::refused, "refused"},
                                                    {Outcome::unknown, "unknown"},
                                                    {Outcome::running, "running"},
                                                    {Outcome::failed, "failed"},
                                                    {Outcome::paid_unfetched, "paid-unfetched"},
                                                    {Outcome::stored, "stored"}};

enum class Charged { no, maybe, yes };
template <>
inline constexpr Word<Charged> kWords<Charged>[] = {
    {Charged::no, "no"}, {Charged::maybe, "maybe"}, {Charged::yes, "yes"}};

struct RunEnding {
  Outcome outcome = Outcome::not_submitted;
  Charged charged = Charged::no;
  // Whether the same run again can help without paying twice.
  bool retry = false;
};

// Of a run that ended with `error`. `amount`: credits that the task has cost; below 0: unknown.
RunEnding ending_of(Outcome outcome, const Error &error, double amount);

// With these three as details; an error that has them already stays as it is, and one that says itself
// whether the same run again can help.
Error with_ending(Error error, const RunEnding &ending);

// The error of a run that must not repeat a submit that may have been charged. `submitted_at`: Unix time, 0
// unknown.
Error unknown_submit(int64_t submitted_at);
// " at " and the time; empty: it is unknown. Unix time in seconds.
std::string time_of_submit(int64_t submitted_at);
// "The service does not know the task 7 of this request any more", of one task or more.
std::string unknown_tasks_text(const std::vector<std::string> &ids);
// Likewise, where the service does not know the tasks that it has accepted; there is at least one.
Error unknown_tasks(const std::vector<std::string> &ids);

// A task that was asked for in vain, because the service says that it failed.
struct FailedTask {
  std::string id;
  std::string message;         // Of the service; empty: it gave no reason.
  double amount = -1;          // Credits, -1 unknown.
  bool was_completed = false;  // … before, so that it is paid.
};
// "The task 7 of this request has failed, and has cost 9 credits. It says: …", of one task or more; whole
// sentences.
std::string failed_tasks_text(const std::vector<FailedTask> &tasks);
// The error of a run that must not pay again for tasks that were completed; there is at least one.
Error undelivered_tasks(const std::vector<FailedTask> &tasks);

// Whether any other run would be refused in the same way, with any key and at any time.
bool is_refusal_of_request(unsigned http_status);

// A limit of the budget is spent, so that other clips are refused, too. A limit of one clip refuses only that
// clip.
bool is_spent_budget(const Error &error);
// When that limit resets; nothing: never, or it is another error.
std::optional<UtcTime> reset_of(const Error &error);

// Nothing was submitted, or the service refused the request: there is no task. Also of an error that does not
// say how its run has ended.
bool is_without_task(const Error &error);

// The same ending, of a run that has been charged for another clip before, whatever became of this one.
Error with_charge(Error error);

}  // namespace genclip
