// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One clip's part of the store's ledger, while a run works on the clip. plugin/account/ledger.h says which
// line is due when; charge_steps.h decides it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/account/ledger.h"
#include "plugin/generation/charge_steps.h"
#include "plugin/generation/generation_job.h"
#include "plugin/task/task.h"

namespace genclip {

class Generation;

// For the thread of one ClipWork, which holds the clip's lock meanwhile. Blocks for the disk. Borrows the
// generation, which must outlive it.
class ClipAccount {
 public:
  explicit ClipAccount(Generation &generation);

  // When this run's turn begins, before it writes the journal, which may be all that tells what became of an
  // earlier run's reservation. A ledger that cannot be read or written is logged.
  void bury(const ClipRecord &found);

  // Before the intent of a submit is journalled, and again before each further try. `found`: the journal
  // when this run's turn began. An error: the budget refuses (with `budget`, `limit`, `spent`, `reserved` and
  // `estimate` in its details), the ledger cannot be written, or ErrorKind::cancelled. Then nothing is
  // reserved, and nothing may be sent.
  Result<void> reserve(const std::optional<ClipRecord> &found);
  bool has_reserved() const { return !reserved_at_.empty(); }
  // For the record of the intent.
  const std::string &reserved_at() const { return reserved_at_; }

  // How long tasks of this kind took; none if the ledger does not tell. Reads the ledger, unless reserve()
  // just has.
  std::vector<Wait> past_waits();
  // This run has followed its task from the submit to its completion; that took so long.
  void followed(const Wait &wait) { wait_ = wait; }

  // What has happened to a task. `task`: as the service has told of it; null: nothing new. A line that cannot
  // be written is logged, and whoever looks next makes it of the journal.
  void tell(const ChargeStep &step, const Task *task);

 private:
  Result<void> begin();
  Result<Decision> try_to_reserve(const std::optional<ClipRecord> &found);

  Generation &generation_;
  const ChargeFacts facts_;
  Ledger ledger_;
  bool has_begun_ = false;
  bool has_told_skipped_ = false;
  std::string reserved_at_;  // Empty: nothing is reserved.
  std::optional<LedgerEntry> last_;
  std::optional<std::vector<Wait>> waits_;  // As the ledger had them when it reserved.
  std::optional<Wait> wait_;
};

}  // namespace genclip
