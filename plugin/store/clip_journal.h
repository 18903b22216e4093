// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every decision that can cost money, without I/O: the state of a request, and how each event changes it.
//
// A request may be paid twice in two ways: a run overwrites what an earlier one knew, or it does not ask
// before it pays. So a run never edits the journal by itself. It tells react() what happened, and does what
// the answer says: it first writes the record (if asked to), then gives the warnings, then takes the step.
// Before any step that may cost money there is a record on disk from which a later run, after a crash at any
// point, decides as this one would.
//
// A record holds the latest attempt (its state and task) and, beside it, what outlives attempts: the whole
// clip in the folder (`replaced`), tasks whose clips were not fetched (`unfetched_tasks`), submits without an
// answer. Only the event that settles one of these drops it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plugin/store/clip_record.h"

namespace genclip {

// What a run may pay for. What exists already it serves or attaches to in any case.
enum class MaySubmit {
  even_in_doubt,    // Also again where an earlier submit may have been charged, with a warning.
  unless_in_doubt,  // Not again where an earlier submit may have been charged: nobody is there to decide it.
  never,
};

// What a run was asked for, as far as decisions depend on it.
struct RunWish {
  bool reuse = true;
  std::string task_id;  // Set: attach to that task, submit nothing.
  bool has_key = true;
  MaySubmit may_submit = MaySubmit::even_in_doubt;
};

// ---- Events.

// This run has the lock and has read the journal.
struct TurnBegins {
  std::optional<ClipRecord> found;
  // The journal changed to this while this run waited, so that this run may end as the other run did.
  bool is_news = false;
  // The task of the whole clip that was there at this run's first look; empty: there was none.
  std::string first_whole;
};
struct WholeClipMissing {};  // The file to be served is missing, or was damaged and set aside.
// Answers to a query. They end `look` and `ask`, which come before a task is followed.
struct TaskKnown {
  bool is_done = false;  // Completed, and its clip can be fetched.
};
struct TaskFailed {
  std::string message;
};
struct TaskUnknown {  // 404 or 410, confirmed by repeated queries.
  std::string error;
  unsigned http_status = 404;
};
struct TaskUnreachable {};  // The service did not answer, or refused the key.
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
// The service asked to send the refused request later, and that time has come; or it refused the key, and
// there is a renewed one.
struct SubmitRetried {};
struct ClipFetched {};  // clip.part is the whole clip of the record's task.

using ClipEvent =
    std::variant<TurnBegins, WholeClipMissing, TaskKnown, TaskFailed, TaskUnknown, TaskUnreachable,
                 SubmitAccepted, SubmitRefused, SubmitUnanswered, SubmitRetried, ClipFetched>;

// ---- What follows.

enum class ClipStep {
  serve,   // The clip `whole`.
  look,    // Ask once, without a long wait, whether `asked`, which is to replace the served clip, is done.
  ask,     // Ask whether the service knows the task `asked`, before anything is paid.
  follow,  // Poll the record's task until its clip can be fetched, and fetch it.
  submit,  // Send the request.
  share_failure,     // End as the run that this one waited for: the task failed,
  share_doubt,       //   whether the request was accepted is unknown,
  share_refusal,     //   the service refused the request.
  need_key,          // End: there is no key, and no whole clip.
  stay_in_doubt,     // End: an earlier submit may have been charged, and this run must not repeat it.
  stay_unsubmitted,  // End: nothing brings the clip but a submit, and this run must not submit.
  end,               // End with the event's own error, or with success.
};

enum class ClipWarning {
  unanswered_submits,    // Submitted again though `unanswered_submits` submits may have been accepted.
  unknown_tasks,         // Submitted again although the service no longer knows tasks that were paid.
  successor_is_unknown,  // The task that was to replace the clip is unknown; the clip is served.
};

// All that a run remembers. A plain value.
struct ClipRun {
  RunWish wish;
  ClipStep step = ClipStep::end;  // The step to take next, or being taken. The next event answers it.
  ClipRecord record;  // As it is on disk, or is about to be. At first it has identity and model only.
  std::optional<ClipRecord> found;          // The journal when the turn began.
  std::shared_ptr<const ClipRecord> whole;  // The clip that is in the folder, whole; null: none.
  std::string asked;                        // The task that `look` and `ask` are about.
  std::vector<std::string> to_ask;          // Unfetched tasks that come after it.
  std::vector<std::string> unknown;         // … and those that the service did not know.
  ClipRecord attempt;                       // The intent, while the record repeats what was found.
  bool is_news = false;                     // As in TurnBegins.
  std::string first_whole;
  bool has_paid = false;       // Its submit was accepted.
  bool is_unheard_of = false;  // `wish.task_id` is followed, and the service has not answered about it yet.
};

struct Reaction {
  ClipRun run;
  bool write = false;  // The record goes to disk before the step is taken.
  std::vector<ClipWarning> warnings;
};

// Deterministic; no I/O. Asserts that the event can happen at this point.
Reaction react(ClipRun run, const ClipEvent &event);

// The whole clip that a record describes: its own, or the one that its task is to replace. Null: none.
std::shared_ptr<const ClipRecord> whole_clip_of(const ClipRecord &record);
// The clip that this run may serve, if its file is whole, without waiting for the writer. Null: it has to
// wait for its turn.
std::shared_ptr<const ClipRecord> served_without_turn(const ClipRecord &record, const RunWish &wish,
                                                      bool is_news, const std::string &first_whole);
// Tasks that may still bring a clip, the latest first.
std::vector<std::string> unfetched_tasks_of(const ClipRecord &record);
// The number of submits that got no answer and that no warning has settled. Each may have been charged.
uint64_t unanswered_submits_of(const ClipRecord &record);
// What a record has for a request that could as well go on in another folder, the least first.
enum class Claim {
  none,        // Nothing was ever paid for here, or it came to a known end.
  replaced,    // A whole clip that the run wants to replace.
  unanswered,  // A submit of which nobody knows whether it was charged.
  unfetched,   // A task that may have been charged, and that can be asked.
  clip,        // The whole clip, or a task that brings it.
};
Claim claim_of(const ClipRecord &record, bool reuse);
// Whether any other run would be refused in the same way, with any key and at any time.
bool is_refusal_of_request(unsigned http_status);

// The record after the clip that it announces was put in place.
ClipRecord completed(ClipRecord record);

}  // namespace genclip
