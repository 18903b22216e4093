// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One clip's part of the store's ledger, while a run works on the clip. react() (core/clip_run.h) decides
// which line is due when.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugin/account/ledger.h"
#include "plugin/core/clip_charges.h"
#include "plugin/generation/generation_job.h"
#include "plugin/store/store_listing.h"

namespace genclip {

class Generation;

// For the thread of one ClipWork, which holds the clip's lock meanwhile. Blocks for the disk. Borrows the
// generation, which must outlive it.
class ClipAccount {
 public:
  using BeforeLine = std::function<void(const std::string &reserved_at)>;

  explicit ClipAccount(Generation &generation);

  // Makes the ledger of a store that has none, of what the journals know. What this run does to its journal
  // later must not be among it.
  Result<void> begin();

  // When this run's turn begins, before it writes the journal, which may be all that tells what became of an
  // earlier run's reservation. Both as entries_after_death() has them. A ledger that cannot be read or
  // written is logged.
  void bury(const std::optional<ClipRecord> &found, const std::string &unsent = {});

  // Before another clip makes room for this one: bury_before_removal().
  Result<void> bury_removed(const StoredClip &clip);

  // What the ledger knows of the request, for a run that has found no journal. `is_clip_lost`: see
  // clip_charges.h.
  Result<OpenCharges> open_charges(bool is_clip_lost = false);
  // Likewise, for a run that has found one. A ledger that cannot be read tells nothing.
  OpenCharges completed_charges();

  // A ledger that cannot be read knows nothing.
  KnownTask known_task(const std::string &task_id);

  // Before the intent of a submit is journalled, and again before each further try. `found`: the journal as
  // it is, or was when this run's turn began. An error: the budget refuses (with `budget`, `limit`, `spent`,
  // `reserved` and `estimate` in its details), the ledger cannot be written, the same clip is waited for
  // beyond the job's timeout (ErrorKind::busy; for a slot, all that have one), or ErrorKind::cancelled. Then
  // nothing is reserved, and nothing may be sent. `before_line` is called with what reserved_at() will be,
  // just before that is in the ledger.
  Result<void> reserve(const std::optional<ClipRecord> &found, const BeforeLine &before_line);
  // Nothing is sent for what it has reserved, also if the run is cancelled.
  void release(const std::string &why);
  bool has_reserved() const { return !reserved_at_.empty(); }
  // For the record of the intent.
  const std::string &reserved_at() const { return reserved_at_; }

  // How long tasks of this kind took; none if the ledger does not tell. Reads the ledger, unless reserve()
  // just has.
  std::vector<Wait> past_waits();

  // What has happened to a task, as lines without what the price hangs on. Those that cannot be written are
  // logged, also if the ledger is locked for long, and whoever looks next makes them of the journal.
  // `odd_amount`: as in ClipRun.
  Result<void> tell(std::vector<LedgerEntry> entries, const std::string &odd_amount);

 private:
  Result<Decision> try_to_reserve(const std::optional<ClipRecord> &found, const BeforeLine &before_line);
  Error stays_reserved(const std::string &clip, bool is_for_slot) const;
  // Empty: nothing is to be told.
  void warn_once(const std::string &text, const std::string &task_id);

  Generation &generation_;
  const ChargeFacts facts_;
  Ledger ledger_;
  bool has_begun_ = false;
  bool has_told_skipped_ = false;
  std::string reserved_at_;  // Empty: nothing is reserved.
  std::set<std::string> warned_;
  std::optional<std::vector<Wait>> waits_;  // As the ledger had them when it reserved.
};

}  // namespace genclip
