// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every decision of one clip that can cost money, without I/O: the state of a run, and all that follows of
// each event: the record, the ledger's lines, what the run's ending would be, what observers see, and the
// next step.
//
// A request may be paid twice in two ways: a run overwrites what an earlier one knew, or it does not ask
// before it pays. So a run never edits the journal by itself. It tells react() what happened, and does what
// the answer says: it first writes the record (if asked to) and the ledger's lines, in this order unless
// `tells_first`, then gives the warnings, then takes the step. Before any step that may cost money there is a
// record on disk from which a later run, after a crash at any point, decides as this one would.
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

#include "plugin/account/ledger_entry.h"
#include "plugin/account/wait_history.h"
#include "plugin/core/clip_charges.h"
#include "plugin/core/clip_view.h"
#include "plugin/core/run_ending.h"
#include "plugin/core/task_news.h"
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
  unsigned result = 1;   // Which of that task's results, from 1.
  std::string own_task;  // Of an earlier run of the same user: its clip is served also without `reuse`.
};

// ---- Events.

// This run has the lock and has read the journal.
struct TurnBegins {
  std::optional<ClipRecord> found;
  // The journal changed to this while this run waited, so that this run may end as the other run did.
  bool is_news = false;
  // The task of the whole clip that was there at this run's first look; empty: there was none.
  std::string first_whole;
  // What the ledger knows of the request; where there is a journal, only which of its tasks were completed,
  // and, where that has neither a clip nor a task to follow, `stored`.
  OpenCharges open = {};
};
struct WholeClipMissing {};  // The file to be served is missing, or was damaged and set aside.
// Answers to a query. They end `look` and `ask`, which come before a task is followed.
struct TaskKnown {
  TaskNews news;
  bool has_clip = false;            // It is completed, and its clip can be fetched.
  std::optional<Wait> waited = {};  // Of a completed task that this run has followed from its submit.
};
struct TaskFailed {
  std::string message;
  TaskNews news = {};
};
struct TaskUnknown {  // 404 or 410, confirmed by repeated queries.
  std::string error;
  unsigned http_status = 404;
  // Of one that the user has named and that was not heard of in this run.
  KnownTask known = {};
};
// An answer about the task that says nothing of its state tells what it costs: an error, for example.
struct CostTold {
  TaskNews news;
};
struct TaskUnreachable {};  // The service did not answer, or refused the key.
struct FetchBegins {};      // Of the clip of the task that is followed.
// The request is about to be sent, for the first time or again.
struct SubmitBegins {
  int64_t submitted_at = 0;  // Unix time in seconds.
  std::string reserved_at;   // As in ClipRecord.
  std::vector<UsedReference> references;
};
// Answers to a submit.
struct SubmitAccepted {
  std::string task_id;
  TaskNews news = {};
};
struct SubmitRefused {
  std::string error;
  unsigned http_status = 0;  // 0: it never reached the service.
  // The service asked to send it later, or refused the key, and there is a renewed one.
  bool is_sent_again = false;
  double sent_again_in = 0;  // Seconds.
};
struct SubmitUnanswered {  // The outcome is unknown.
  std::string error;
  unsigned http_status = 0;
  TaskNews news = {};
};
struct ClipFetched {};  // clip.part is the whole clip of the record's task.
struct ClipStored {};   // … and it was put in place.

using ClipEvent = std::variant<TurnBegins, WholeClipMissing, TaskKnown, TaskFailed, TaskUnknown, CostTold,
                               TaskUnreachable, FetchBegins, SubmitBegins, SubmitAccepted, SubmitRefused,
                               SubmitUnanswered, ClipFetched, ClipStored>;

// ---- What follows.

enum class ClipStep {
  serve,   // The clip `whole`.
  look,    // Ask once, without a long wait, whether `asked`, which is to replace the served clip, is done.
  ask,     // Ask whether the service knows the task `asked`, before anything is paid.
  follow,  // Poll the record's task until its clip can be fetched, and fetch it.
  submit,  // Send the request: reserve its price, tell SubmitBegins, send.
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
  failed_tasks,          // Submitted again although tasks that failed were, or may have been, charged.
  successor_is_unknown,  // The task that was to replace the clip is unknown; the clip is served.
  successor_failed,      // … has failed, likewise.
  paid_before,           // Submitted though `paid_before` was paid, because its clip has left the store.
  tasks_displaced,       // Follows the task that was named, and not `displaced_tasks()`, which are paid.
};

// All that a run remembers. A plain value.
struct ClipRun {
  RunWish wish;
  ClipStep step = ClipStep::end;  // The step to take next, or being taken. The next event answers it.
  ClipRecord record;  // As it is on disk, or is about to be. At first it has identity and model only.
  // The journal when the turn began; where there was none, what the ledger knew.
  std::optional<ClipRecord> found;
  bool is_of_ledger = false;                // `found` is what the ledger knew.
  std::shared_ptr<const ClipRecord> whole;  // The clip that is in the folder, whole; null: none.
  std::string asked;                        // The task that `look` and `ask` are about.
  std::vector<std::string> to_ask;          // Unfetched tasks that come after it.
  std::vector<std::string> unknown;         // … and those that the service did not know.
  // … and those that it says have failed, unless these cost nothing. Also the journal's, if it has cost
  // something: an earlier run has ended with it.
  std::vector<FailedTask> failed;
  // What the ledger knew of such tasks when the turn began, and then what answers told; the latest counts.
  std::vector<OpenTask> open;
  std::optional<OpenTask> paid_before;  // As OpenCharges::stored; nothing where a new clip is wanted.
  ClipRecord attempt;                   // What the record of a submit begins with.
  bool is_news = false;                 // As in TurnBegins.
  std::string first_whole;
  bool is_submitting = false;  // The record is the intent of a request that is on its way.
  bool has_warned = false;     // Of what may be charged again by its submit.
  bool has_paid = false;       // Its submit was accepted.
  bool is_unheard_of = false;  // `wish.task_id` is followed, and the service has not answered about it yet.
  Outcome outcome = Outcome::not_submitted;  // Of the run, if it ended now.
  double amount = -1;                        // Credits of the task that the outcome is about, -1 unknown.
  std::string odd_amount;                    // As in TaskNews, as long as no amount is known.
  std::optional<Wait> waited;                // As in TaskKnown.
  std::optional<LedgerEntry> settled;        // The last such line, so that none is repeated.
};

struct Reaction {
  ClipRun run;
  bool write = false;  // The record goes to disk before the step is taken.
  // To be appended. The caller adds what the price hangs on and is in no journal (ChargeFacts).
  std::vector<LedgerEntry> ledger = {};
  // … before the record: without these lines, the ledger of a removed folder would say that nothing is open.
  bool tells_first = false;
  std::vector<ClipWarning> warnings = {};
  std::optional<ClipView> view = {};  // What observers see from now on; nothing: what they saw before.
};

// Deterministic; no I/O. Asserts that the event can happen at this point.
Reaction react(ClipRun run, const ClipEvent &event);

// How the run ends if `error` ends it now.
RunEnding ending_of(const ClipRun &run, const Error &error);

// The clip that this run may serve, if its file is whole, without waiting for the writer. Null: it has to
// wait for its turn.
std::shared_ptr<const ClipRecord> served_without_turn(const ClipRecord &record, const RunWish &wish,
                                                      bool is_news, const std::string &first_whole);

}  // namespace genclip
