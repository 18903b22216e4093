// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a store's ledger and its journals learn from each other.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugin/account/ledger.h"
#include "plugin/base/file_system.h"
#include "plugin/base/lock_wait.h"
#include "plugin/base/result.h"
#include "plugin/core/clip_charges.h"
#include "plugin/store/clip_record.h"
#include "plugin/store/store_listing.h"

namespace genclip {

// Makes the ledger of a store that has none, of what its journals know. To be called before the first line
// is appended. Cheap when there is a ledger. Blocks for the disk.
Result<void> begin_ledger(FileSystem &files, Ledger &ledger, const std::string &store,
                          GCancellable *cancellable, std::chrono::seconds patience = kLockPatience);

// What the ledger knows of a request without a journal; `is_clip_lost`: see core/clip_charges.h. Cheap when
// it knows nothing. Blocks for the disk.
Result<OpenCharges> open_charges(Ledger &ledger, const std::string &key, bool is_clip_lost = false);

struct LedgerReadings {
  std::optional<LedgerReading> condensed, whole;
};

// The same for many requests, without `stored`, and without what is written meanwhile: each ledger is read
// once. Without a summary, that takes a second. Not thread-safe. Borrows both, which must outlive it.
class KnownCharges {
 public:
  KnownCharges(FileSystem &files, Clock &clock) : files_(files), clock_(clock) {}

  Result<OpenCharges> open(const std::string &store, const std::string &key, bool is_clip_lost = false);
  // Condensed.
  Result<const Account *> account(const std::string &store);

 private:
  FileSystem &files_;
  Clock &clock_;
  std::map<std::string, LedgerReadings> of_stores_;
};

// Writes what became of the charges of the clip `key`, whose lock the caller has. `record` and `unsent` as
// entries_after_death() has them. Returns how many lines it has written. Blocks for the disk.
Result<size_t> bury_charges(Ledger &ledger, const std::string &key, const std::optional<ClipRecord> &record,
                            const std::string &unsent, GCancellable *cancellable,
                            std::chrono::seconds patience = kLockPatience);

// The same, just before this clip leaves the store and its journal with it (store/clip_removal.h). Makes the
// ledger of a store that has none first. `patience` with the ledger's lock: kShortLockPatience where clips
// only make room, because a later run may as well remove them.
Result<void> bury_before_removal(FileSystem &files, Ledger &ledger, const std::string &store,
                                 const StoredClip &clip, GCancellable *cancellable,
                                 std::chrono::seconds patience);

// Writes into the journal that the submit or the lost task of this charge has cost nothing
// (core/clip_charges.h). False: a run
// is at work on the clip, and nothing was written. Blocks for the disk.
Result<bool> settle_submit(FileSystem &files, const std::string &store, const Charge &charge);

// True: a run is at work on the clip `key`, or has its lock for another reason. Blocks for the disk.
Result<bool> is_at_work(FileSystem &files, const std::string &store, const std::string &key);

// Writes what became of the charges whose runs have died. A charge is left alone when it is of the clip
// `except` (the caller is at work on it; empty: none), or when its clip is locked, because a run is at work
// on it. `waited_for`: the keys of clips whose prices somebody waits for (entries_after_death()). Returns how
// many it has written of. Blocks for the disk.
Result<size_t> reconcile(FileSystem &files, Ledger &ledger, const std::string &store,
                         const std::string &except, GCancellable *cancellable,
                         const std::vector<std::string> &waited_for = {});

}  // namespace genclip
