// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/store_account.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "plugin/base/file_lock.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/generation_log.h"
#include "plugin/store/clip_folder.h"

namespace genclip {
namespace {

using ReadLedger = Result<LedgerReading> (Ledger::*)();

// So many clips are locked at once, if there are file descriptors for them.
constexpr size_t kMostLocked = 100;

// The clip's lock is held meanwhile, so that no run begins on it.
struct Journal {
  std::optional<StoreLock> lock;  // None: the folder is not there.
  std::optional<ClipRecord> record;
  std::string unsent = {};  // As ClipFolder::unsent().
};

// Nothing: a run is at work on the clip.
Result<std::optional<Journal>> lock_journal(FileSystem &files, const ClipPath &path) {
  const auto info = files.info(path.folder());
  if (!info) return info.error();
  if (!*info) return std::optional(Journal());
  ClipFolder folder(files, path);
  auto lock = folder.lock_writer([](const std::string &) {});
  if (!lock) return std::move(lock).error();
  if (!*lock) return std::optional<Journal>();
  Journal journal{std::move(*lock), std::nullopt};
  auto record = folder.look();
  if (record)
    journal.record = std::move(*record);
  else
    journal.unsent = folder.unsent();
  return std::optional<Journal>(std::move(journal));
}

Result<std::vector<LedgerEntry>> import_journals(FileSystem &files, const std::string &store) {
  const auto clips = list_store(files, store);
  if (!clips) return clips.error();
  std::vector<LedgerEntry> entries;
  for (const StoredClip &clip : *clips) {
    if (!clip.record) continue;
    ChargeFacts facts = charge_facts(clip.record->identity, clip.record->model, "");
    facts.key = clip.digest;
    for (LedgerEntry &entry : imported_entries(facts, *clip.record)) entries.push_back(std::move(entry));
  }
  GST_CAT_INFO(generation_category(), "%s: begins a ledger with %zu lines of what its clips tell",
               store.c_str(), entries.size());
  return entries;
}

struct Buried {
  size_t lines = 0;
  std::set<std::string> keys;  // Without those of runs that have ended meanwhile, and said so.
};

// What became of the open charges of these clips, in one step for all: each reads the ledger.
Result<Buried> bury(Ledger &ledger, const std::map<std::string, Journal> &journals, GCancellable *cancellable,
                    const std::vector<std::string> &waited_for = {},
                    std::chrono::seconds patience = kLockPatience) {
  Buried buried;
  if (journals.empty()) return buried;
  const auto reading = ledger.read_condensed();
  if (!reading) return reading.error();
  std::vector<LedgerEntry> entries;
  for (const Charge &charge : reading->account.charges()) {
    const auto found = journals.find(charge.key);
    if (found == journals.end() || !charge.is_open()) continue;
    const Journal &journal = found->second;
    const bool is_waited_for = std::ranges::count(waited_for, charge.key) > 0;
    for (LedgerEntry &entry : entries_after_death(charge, journal.record, is_waited_for, journal.unsent)) {
      buried.keys.insert(charge.key);
      entries.push_back(std::move(entry));
    }
  }
  buried.lines = entries.size();
  if (!entries.empty())
    if (auto appended = ledger.append(std::move(entries), cancellable, {}, patience); !appended)
      return std::move(appended).error();
  return buried;
}

// What is not read yet, is.
Result<const Account *> account_of(std::optional<LedgerReading> &known, Ledger &ledger, ReadLedger read) {
  if (!known) {
    auto reading = (ledger.*read)();
    if (!reading) return std::move(reading).error();
    known = std::move(*reading);
  }
  return &known->account;
}

Result<OpenCharges> find_open(Ledger &ledger, LedgerReadings &readings, const std::string &key,
                              bool is_clip_lost) {
  const auto condensed = account_of(readings.condensed, ledger, &Ledger::read_condensed);
  if (!condensed) return condensed.error();
  if (!is_clip_lost && !(*condensed)->has_open(key)) return OpenCharges();
  // Only the whole account tells whether a clip was stored since.
  const auto whole = account_of(readings.whole, ledger, &Ledger::read_all);
  if (!whole) return whole.error();
  return open_charges(**whole, key, is_clip_lost);
}

}  // namespace

Result<void> begin_ledger(FileSystem &files, Ledger &ledger, const std::string &store,
                          GCancellable *cancellable, std::chrono::seconds patience) {
  const auto begun = ledger.begin_with([&] { return import_journals(files, store); }, cancellable, patience);
  return begun ? Result<void>() : begun.error();
}

Result<OpenCharges> open_charges(Ledger &ledger, const std::string &key, bool is_clip_lost) {
  LedgerReadings readings;
  auto open = find_open(ledger, readings, key, is_clip_lost);
  if (!open || readings.whole) return open;
  // What is settled, the condensed account does not tell.
  if (const auto reading = ledger.read_about(key); reading)
    open->stored = open_charges(reading->account, key).stored;
  return open;
}

Result<OpenCharges> KnownCharges::open(const std::string &store, const std::string &key, bool is_clip_lost) {
  Ledger ledger(files_, clock_, store);
  return find_open(ledger, of_stores_[store], key, is_clip_lost);
}

Result<const Account *> KnownCharges::account(const std::string &store) {
  Ledger ledger(files_, clock_, store);
  return account_of(of_stores_[store].condensed, ledger, &Ledger::read_condensed);
}

Result<size_t> bury_charges(Ledger &ledger, const std::string &key, const std::optional<ClipRecord> &record,
                            const std::string &unsent, GCancellable *cancellable,
                            std::chrono::seconds patience) {
  std::map<std::string, Journal> journals;
  journals[key].record = record;
  journals[key].unsent = unsent;
  const auto buried = bury(ledger, journals, cancellable, {}, patience);
  if (!buried) return buried.error();
  return buried->lines;
}

Result<void> bury_before_removal(FileSystem &files, Ledger &ledger, const std::string &store,
                                 const StoredClip &clip, GCancellable *cancellable,
                                 std::chrono::seconds patience) {
  if (auto begun = begin_ledger(files, ledger, store, cancellable, patience); !begun) return begun;
  const std::string unsent = ClipFolder(files, ClipPath(store, clip.digest)).unsent();
  const auto buried = bury_charges(ledger, clip.digest, clip.record, unsent, cancellable, patience);
  return buried ? Result<void>() : buried.error();
}

Result<bool> settle_submit(FileSystem &files, const std::string &store, const Charge &charge) {
  if (!ClipPath::is_digest(charge.key)) return true;
  const ClipPath path(store, charge.key);
  const auto journal = lock_journal(files, path);
  if (!journal) return journal.error();
  if (!*journal) return false;
  if (!(*journal)->record) return true;
  const auto settled = without_submit(*(*journal)->record, charge);
  if (!settled) return true;
  const auto written = ClipFolder(files, path).write_record(*settled);
  return written ? Result<bool>(true) : written.error();
}

Result<bool> is_at_work(FileSystem &files, const std::string &store, const std::string &key) {
  if (!ClipPath::is_digest(key)) return false;
  const auto journal = lock_journal(files, ClipPath(store, key));
  return journal ? Result<bool>(!journal->has_value()) : journal.error();
}

Result<size_t> reconcile(FileSystem &files, Ledger &ledger, const std::string &store,
                         const std::string &except, GCancellable *cancellable,
                         const std::vector<std::string> &waited_for) {
  const auto before = ledger.read_condensed();
  if (!before) return before.error();
  std::set<std::string> keys;
  for (const Charge &charge : before->account.charges())
    if (charge.is_under_way() && charge.key != except) keys.insert(charge.key);
  const size_t most = std::clamp<size_t>(most_locks(), 1, kMostLocked);
  size_t written = 0, locked = 0;
  std::map<std::string, Journal> journals;
  const auto tell = [&]() -> Result<void> {
    const auto buried = bury(ledger, journals, cancellable, waited_for);
    if (!buried) return buried.error();
    for (const std::string &key : buried->keys) {
      GST_CAT_INFO(generation_category(),
                   "%s: the run on %.8s has died; the ledger is told what its journal says", store.c_str(),
                   key.c_str());
      // Without that note, a prune removes the folder.
      if (!journals[key].unsent.empty()) static_cast<void>(files.remove(ClipPath(store, key).unsent()));
    }
    written += buried->keys.size();
    locked = 0;
    journals.clear();
    return {};
  };
  for (const std::string &key : keys) {
    // No clip has a damaged key, so no run is at work on it.
    auto journal = ClipPath::is_digest(key) ? lock_journal(files, ClipPath(store, key))
                                            : Result<std::optional<Journal>>(Journal());
    if (!journal || !*journal) continue;
    if ((*journal)->lock) ++locked;
    journals[key] = std::move(**journal);
    if (locked < most) continue;
    if (auto told = tell(); !told) return std::move(told).error();
  }
  if (auto told = tell(); !told) return std::move(told).error();
  return written;
}

}  // namespace genclip
