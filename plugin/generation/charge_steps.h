// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the ledger is told of a run, without I/O: of each event of the journal's model (store/clip_journal.h),
// of a run that has died, and of a store that has no ledger yet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/store/clip_journal.h"

namespace genclip {

// A line to append. The caller adds what is in no journal: what the clip's price hangs on, and what the
// service says that the task has cost.
struct ChargeStep {
  LedgerEvent event = LedgerEvent::other;
  std::string task_id = {};
  std::string status = {};  // Of `settle`.
  std::string why = {};     // Of `release`.

  friend bool operator==(const ChargeStep &, const ChargeStep &) = default;
};

// `run` as it was before the event. Nothing: the ledger is told nothing. (`reserve` is no answer to an event:
// it comes before the step `submit`, and may refuse it.)
std::optional<ChargeStep> charge_step(const ClipRun &run, const ClipEvent &event);

// What became of a charge that is under way and whose run has died. `record` is the clip's journal; nothing:
// there is none. A task that the service still has stays under way, because the next run of the request
// follows it; but for somebody who `is_waited_for` keeps waiting, it becomes unknown.
std::vector<LedgerEntry> entries_after_death(const Charge &charge, const std::optional<ClipRecord> &record,
                                             bool is_waited_for = false);

// All that a clip's journal knows of its tasks, for a store without a ledger. `facts`: as charge_facts() has
// them.
std::vector<LedgerEntry> imported_entries(const ChargeFacts &facts, const ClipRecord &record);

// The service's quantities are -1 where it has not told them; the ledger's are absent.
inline std::optional<double> told(double quantity) {
  return quantity >= 0 ? std::optional(quantity) : std::nullopt;
}

// The folder is one of a task that was only attached to: whatever it cost, this store has not submitted it.
bool is_attached(const ClipRecord &record);

}  // namespace genclip
