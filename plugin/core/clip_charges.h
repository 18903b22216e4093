// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the ledger and a clip's journal tell each other, without I/O, where no run tells it (clip_run.h): of a
// run that has died, of a store that has no ledger yet, and of a journal that is gone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/core/run_ending.h"
#include "plugin/store/clip_record.h"

namespace genclip {

// What the ledger knows of a task whose clip never came.
struct OpenTask {
  std::string id;
  std::string reserved_at = {};  // As in ClipRecord.
  double amount = -1;            // Credits, -1 unknown.
  bool was_completed = false;    // It is paid, whatever the service says later.
};
// What the ledger knows of a request that was paid, or may have been, and whose clip never came.
struct OpenCharges {
  std::vector<OpenTask> tasks;  // They may still bring it; the latest last.
  uint64_t unanswered = 0;      // Submits of which it is unknown whether there is a task.
  std::string reserved_at;      // Of the one among these whose run died before the ledger knew more.
  int64_t latest_at = 0;        // Unix time in seconds of the latest of all of these.
  // The last task that was paid and whose clip was stored; by somebody's wish the clip is here no more.
  std::optional<OpenTask> stored;

  bool is_empty() const { return tasks.empty() && unanswered == 0; }
};
// The clip of the charge was stored, and has cost something.
bool is_paid_clip(const Account &account, const Charge &charge);
// `account`: not condensed. What was open when a clip of the request was stored, its run has told.
// `is_clip_lost`: by no one's wish that clip is in the store no more, or nobody knows what it is, so its task
// counts as unfetched.
OpenCharges open_charges(const Account &account, const std::string &key, bool is_clip_lost = false);
// As of a record (clip_record.h), for a request without one.
Claim claim_of(const OpenCharges &open);
// Of a request that has a journal: the tasks that were completed, which the journal of an older version, or
// what is left of a damaged one, does not tell. `account` may be condensed.
OpenCharges completed_charges(const Account &account, const std::string &key);

// What the ledger knows of a task that the service does not know, and that may be of another clip.
struct KnownTask {
  Outcome outcome = Outcome::not_submitted;  // Of a run that asks for it.
  double amount = -1;                        // Credits that it has cost; -1 unknown.
  std::string completed_for;                 // The key of the clip that it was completed for, if it was.
};
// `account`: not condensed. `asked`: of the run that asks, whose service may have had another spelling of its
// address, or another API, when the task was told.
KnownTask known_task(const Account &account, const ChargeFacts &asked, const std::string &task_id);

// What became of a charge that is under way and whose run has died; of another open one, what its task has
// cost, if the journal alone knows that. `record` is the clip's journal; nothing:
// there is none. A task that the service still has stays under way, because the next run of the request
// follows it; but for somebody who `is_waited_for` keeps waiting, it becomes unknown. `unsent`: as
// ClipFolder::unsent().
std::vector<LedgerEntry> entries_after_death(const Charge &charge, const std::optional<ClipRecord> &record,
                                             bool is_waited_for = false, const std::string &unsent = {});

// The journal once somebody has looked up that the submit of this charge, or its task that the service does
// not know any more, has cost nothing: no run warns of it, or waits for a person, any more. Nothing: the
// journal does not count that submit or task, or counts it no more.
// `charge` as the ledger had it before.
std::optional<ClipRecord> without_submit(ClipRecord record, const Charge &charge);

// Why a submit is released that the service has answered with an earlier task of the request.
inline constexpr char kEarlierTask[] = "the service answered with an earlier task";

// All that a clip's journal knows of its tasks, for a store without a ledger. `facts`: as charge_facts() has
// them.
std::vector<LedgerEntry> imported_entries(const ChargeFacts &facts, const ClipRecord &record);

// The service's quantities are -1 where it has not told them; the ledger's are absent.
inline std::optional<double> told(double quantity) {
  return quantity >= 0 ? std::optional(quantity) : std::nullopt;
}

}  // namespace genclip
