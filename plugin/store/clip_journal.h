// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is known of a request, and what each event makes of it: every decision that can cost money, without
// I/O.
//
// A request may be paid twice in two ways: a run overwrites what an earlier one knew, or it does not ask
// before it pays. So a run never edits the journal by itself. It tells react() what happened, and does what
// the answer says: writes the record first (if it is to be written), says the warnings, then takes the step.
// A step that may cost money is always preceded by a record from which a later run, after a crash at any
// point, decides as this one would.
//
// A record holds the latest attempt (its state and task) and, beside it, what outlives attempts: the whole
// clip in the folder (`replaced`), tasks whose clips nobody has (`unfetched_tasks`), submits without an
// answer. No event drops one of these but the one that settles it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plugin/store/clip_record.h"

namespace genclip {

// What a run was asked for, as far as decisions depend on it.
struct RunWish {
  bool reuse = true;
  std::string task_id;  // Set: attach to that task, submit nothing.
  bool has_key = true;
};

// ---- Events.

// This run has the lock and has read the journal.
struct TurnBegins {
  std::optional<ClipRecord> found;
  // The journal came to say so while this run waited: how another run's work ended is this one's end too.
  bool is_news = false;
  // The task of the whole clip that was there when this run first looked; empty: there was none.
  std::string first_whole;
};
struct WholeClipMissing {};  // The file that was to be served is not there, or damaged (and set aside).
// Answers to a query. Before the task is followed they end `look` and `ask`.
struct TaskKnown {
  bool is_done = false;  // Completed, with its clip to be had.
};
struct TaskFailed {
  std::string message;
};
struct TaskUnknown {  // 404 or 410, to the end.
  std::string error;
  unsigned http_status = 404;
};
struct TaskUnreachable {};  // No answer of the service; a key that was refused.
// Answers to a submit.
struct SubmitAccepted {
  std::string task_id;
};
struct SubmitRefused {
  std::string error;
  unsigned http_status = 0;  // 0: it never reached the service.
};
struct SubmitUnanswered {  // The outcome is unknown.
  std::string error;
  unsigned http_status = 0;
};
struct SubmitRetried {};  // The service wants the refused request later, and that is now.
struct ClipFetched {};    // clip.part is the whole clip of the record's task.

using ClipEvent =
    std::variant<TurnBegins, WholeClipMissing, TaskKnown, TaskFailed, TaskUnknown, TaskUnreachable,
                 SubmitAccepted, SubmitRefused, SubmitUnanswered, SubmitRetried, ClipFetched>;

// ---- What follows.

enum class ClipStep {
  serve,  // The clip `whole`.
  look,  // Ask once, without waiting long, whether `asked` is done; it is to replace the clip that is served.
  ask,   // Ask whether the service knows the task `asked`, before anything is paid.
  follow,         // Poll the record's task until its clip can be fetched, and fetch it.
  submit,         // Send the request.
  share_failure,  // End as the run did that this one waited for: the task failed,
  share_doubt,    //   whether the request was accepted is unknown,
  share_refusal,  //   the service refused the request.
  need_key,       // End: there is no key, and no whole clip.
  end,            // End with the event's own error, or well.
};

enum class ClipWarning {
  unanswered_submits,    // Submitted again though `unanswered_submits` submits may have been accepted.
  unknown_tasks,         // Submitted again though tasks were paid, which the service does not know any more.
  successor_is_unknown,  // The task that was to replace the clip is unknown; the clip is served.
};

// A run's memory, all of it. A plain value.
struct ClipRun {
  RunWish wish;
  ClipStep step = ClipStep::end;  // Taken next, or being taken: an event is the answer to it.
  ClipRecord record;              // As it is, or is about to be, on disk. At first: identity and model only.
  std::optional<ClipRecord> found;          // The journal when the turn began.
  std::shared_ptr<const ClipRecord> whole;  // The clip that is in the folder, whole; null: none.
  std::string asked;                        // The task that `look` and `ask` are about.
  std::vector<std::string> to_ask;          // Unfetched tasks that come after it.
  std::vector<std::string> unknown;         // … and those that the service did not know.
  ClipRecord attempt;                       // The intent, while the record says again what was found.
  bool is_news = false;                     // As in TurnBegins.
  std::string first_whole;
  bool has_paid = false;       // Its submit was accepted.
  bool is_unheard_of = false;  // `wish.task_id` is followed, and the service has not told of it yet.
};

struct Reaction {
  ClipRun run;
  bool write = false;  // The record goes to disk before the step is taken.
  std::vector<ClipWarning> warnings;
};

// Deterministic; no I/O. Asserts that the event can happen at this point.
Reaction react(ClipRun run, const ClipEvent &event);

// The whole clip that a record vouches for: its own, or the one that it is to replace. Null: none.
std::shared_ptr<const ClipRecord> whole_clip_of(const ClipRecord &record);
// The clip that this run serves if its file is whole, whatever the journal's writer does. Null: it needs its
// turn.
std::shared_ptr<const ClipRecord> served_without_turn(const ClipRecord &record, const RunWish &wish,
                                                      bool is_news, const std::string &first_whole);
// Tasks that may yet bring a clip, the latest first.
std::vector<std::string> unfetched_tasks_of(const ClipRecord &record);
// Submits whose answer never came and that no warning has settled: each may have been charged.
uint64_t unanswered_submits_of(const ClipRecord &record);
// Whether a refusal with this status would meet any other run too, whatever its key and the hour.
bool is_refusal_of_request(unsigned http_status);

// The record once the clip that it announces is in its place.
ClipRecord completed(ClipRecord record);

}  // namespace genclip
