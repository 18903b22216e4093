// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The account of a store: what its ledger says, and one more line in it.
//
// How a run uses it (plugin/generation/clip_account does):
// - Before the intent is journalled: reserve(). `refuse` ends the run; on `wait` it sleeps and asks again.
// - The answer to the submit: append `submitted` when it has an ID, `release` when the request was refused or
//   never sent (before the next try, reserve() again), `unknown` when it is lost.
// - When a task has ended, one that the run attached to included: append `settle`.
// - When the service does not know the task any more: append `unknown` with its `task_id`.
//
// A process may die in between. Whoever can lock the clip's folder then appends what the clip's journal tells
// (plugin/core/clip_charges.h). Appending it twice does no harm.
#pragma once

#include <gio/gio.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/account/budget.h"
#include "plugin/account/decision.h"
#include "plugin/account/ledger_file.h"
#include "plugin/base/clock.h"
#include "plugin/base/file_lock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/lock_wait.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

namespace genclip {

// What a warning about a completed task depends on, and the ledger does not know.
struct SettleNote {
  ClipLimit max_amount = {};    // Of the run: a limit in credits, as those of the budget.
  std::string odd_amount = {};  // The amount as the service has spelled it, if that is no number of credits.
};

// The files in a store's folder.
struct LedgerPath {
  std::string ledger;   // ledger.jsonl
  std::string lock;     // ledger.lock
  std::string summary;  // ledger.summary
  std::string budget;   // budget.json

  explicit LedgerPath(const std::string &store);
};

struct LedgerReading {
  Account account;
  uint64_t lines = 0;
  uint64_t skipped = 0;  // Lines that are no entries: to be told, they count nothing.
};

// Any thread, any number of processes and machines on one folder. Blocks for the disk and for the ledger's
// lock, which others hold for some milliseconds, unless they have died with it (wait_for_lock()). Borrows
// both, which must outlive it.
class Ledger {
 public:
  // `on_wait`: as wait_for_lock() has it. Called on the thread that waits.
  Ledger(FileSystem &files, Clock &clock, const std::string &store, OnLockWait on_wait = nullptr);

  struct Reservation {
    Decision decision;                 // `allow`: the line is synced.
    UtcTime at = {};                   // The line's.
    std::optional<Estimate> estimate;  // None: unknown.
    std::vector<Wait> waits;           // How long tasks of that kind took.
    uint64_t skipped = 0;              // As in LedgerReading.
  };
  // What became of a charge whose run has died.
  using AfterDeath = std::function<std::vector<LedgerEntry>(const Charge &)>;
  // Decides, and reserves if that is allowed, in one step under the lock. A budget that cannot be read
  // refuses. `after_death` is asked about each charge of the same key that is under way: the caller has that
  // clip's lock, so the charge's run has died. `max_tasks`: as decide() has it. `before_line` is called, with
  // the line's time, just before it is written. ErrorKind::cancelled, or that of the file call that failed:
  // nothing is reserved.
  Result<Reservation> reserve(const ChargeFacts &facts, const ClipLimit &max_amount,
                              GCancellable *cancellable, const AfterDeath &after_death = nullptr,
                              unsigned max_tasks = 0,
                              const std::function<void(UtcTime)> &before_line = nullptr);

  struct CaptionLease {
    Decision decision;
    CaptionHold hold;            // By the line, which is synced for each verdict.
    UtcDay day = {};             // On which it may be used.
    uint64_t most_of_model = 0;  // As in CaptionAsk.
    uint64_t skipped = 0;        // As in LedgerReading.
  };
  // What a run of captions has used since its previous line, and, in the same step, what it may send next.
  // `run`: `key` is its name. With nothing wanted, it only gives back what it held. The ledger knows the
  // ask's `most_of_model`. Errors as those of reserve(): nothing is written. Does not wait for long
  // (kShortLockPatience): captions are late soon.
  Result<CaptionLease> lease_captions(const ChargeFacts &run, const CaptionUse &used, const CaptionAsk &ask,
                                      GCancellable *cancellable);

  struct Appended {
    // A task has cost more than its estimate said, or its amount was not told, so that a limit in credits
    // does not hold: some sentences to warn with. Else empty.
    std::string warning;
  };
  // Appends entries with this moment as their `at`. Synced on return; all of them or none. Give no
  // cancellable for what must not be lost. `patience`: as wait_for_lock() has it.
  Result<Appended> append(std::vector<LedgerEntry> entries, GCancellable *cancellable,
                          const SettleNote &note = {}, std::chrono::seconds patience = kLockPatience);

  // Where the ledger has no line about a clip yet, writes the entries that `import` gives, with their own
  // `at`. (Captions may have begun it.) False: it has such lines. What `import` looks at must have been there
  // before any reservation. `patience`: as wait_for_lock() has it.
  Result<bool> begin_with(const std::function<Result<std::vector<LedgerEntry>>()> &import,
                          GCancellable *cancellable, std::chrono::seconds patience = kLockPatience);

  // Every charge. Takes no lock; takes some time (docs/performance.md).
  Result<LedgerReading> read_all();
  // What decisions and estimates need. Takes no lock, and little time.
  Result<LedgerReading> read_condensed();

  // The account of one clip, of the lines that name it or its tasks. Takes no lock, and a tenth of the time
  // of read_all() or less.
  Result<LedgerReading> read_about(const std::string &key);

  // As read_budget() has it.
  Result<Budget> budget();
  // Sets these limits and keeps the others; 0 lifts one. What was there must be readable.
  Result<Budget> change_budget(const std::vector<std::pair<BudgetLimit, double>> &changes,
                               GCancellable *cancellable);
  // Lifts all of them, whatever is there.
  Result<void> clear_budget(GCancellable *cancellable);

 private:
  struct Books {
    LedgerReading reading;
    LedgerEnd end;
    uint64_t unsummed = 0;   // Lines that the summary does not cover.
    std::string last_bytes;  // Before end.whole, kSealedBytes at most. Of books on the desk and from it.
    std::optional<Error> incomplete;  // Why the account lacks what was written last.
  };
  // A change under way: the lock, the file, and what it says.
  struct Change {
    FileLock lock;
    std::unique_ptr<File> file;
    Books books;
    UtcTime now;

    Account &account() { return books.reading.account; }
  };

  // The books of the last change, shared by all ledgers of the store in this process. Without them, each
  // change of each of a hundred sources would read the whole ledger, into memory that the C library keeps.
  struct Desk {
    Mutex mutex;
    std::optional<Books> books GUARDED_BY(mutex);
  };
  static std::shared_ptr<Desk> desk_of(FileSystem &files, const std::string &store);

  Result<FileLock> lock(GCancellable *cancellable, std::chrono::seconds patience = kLockPatience);
  // With what is on the desk, and the lines that others have written since. Leaves nothing there.
  Result<Change> begin_change(GCancellable *cancellable, std::chrono::seconds patience = kLockPatience);
  // Nothing: the ledger does not go on where the books on the desk end.
  Result<std::optional<Books>> take_from_desk(File &file);
  // Once the change is done, or was not to be.
  void put_back(Books books);
  Result<Books> load(File &file);
  Result<Books> load_all(File &file);
  Result<Books> load_about(File &file, const std::string &key);
  static Result<bool> read_on(File &file, Books &books);
  Result<std::optional<Books>> load_summed(File &file);
  Result<void> bury(Change &change, const ChargeFacts &facts, const AfterDeath &after_death);
  std::string warning_of(const Account &account, const LedgerEntry &entry, const SettleNote &note);
  Result<bool> begins_with_clip();
  // Appends lines, and has the account take the same; or `news`, where it knows a part of them already.
  Result<void> write(Change &change, const std::vector<LedgerEntry> &entries) {
    return write(change, entries, entries);
  }
  Result<void> write(Change &change, const std::vector<LedgerEntry> &entries,
                     const std::vector<LedgerEntry> &news);
  void sum_up(File &file, Books &books);
  Result<LedgerReading> read(const std::function<Result<Books>(File &)> &load);

  FileSystem &files_;
  Clock &clock_;
  const std::string store_;
  const OnLockWait on_wait_;
  const LedgerPath path_;
  const std::shared_ptr<Desk> desk_;
  std::atomic<bool> has_synced_name_ = false;
};

}  // namespace genclip
