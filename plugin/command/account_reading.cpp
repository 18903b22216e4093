// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/account_reading.h"

#include <algorithm>

#include "plugin/base/number.h"
#include "plugin/command/console.h"
#include "plugin/generation/store_account.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

Json known(const std::optional<double> &value) { return value ? Json(*value) : Json(); }
Json known(const std::string &value) { return value.empty() ? Json() : Json(value); }

bool has_charge_under_way(const Account &account) {
  return std::any_of(account.charges().begin(), account.charges().end(),
                     [](const Charge &charge) { return charge.is_under_way(); });
}

// Reads the ledger after writing into it what the store's journals know: of clips that are older than the
// ledger, and of runs that have died. A store that cannot be written, or that is not there, stays as it is.
Result<LedgerReading> read_up_to_date(Ledger &ledger, const std::string &root, Reading reading) {
  FileSystem &files = FileSystem::posix();
  const auto read = [&] { return reading == Reading::whole ? ledger.read_all() : ledger.read_condensed(); };
  const auto there = files.info(root);
  if (!there || !*there) return read();
  auto done = begin_ledger(files, ledger, root, nullptr);
  auto account = read();
  // A long ledger takes some time: most have nobody to reconcile.
  if (done && account && has_charge_under_way(account->account)) {
    const auto reconciled = reconcile(files, ledger, root, "", nullptr);
    if (!reconciled) done = reconciled.error();
    if (reconciled && *reconciled > 0) account = read();
  }
  // They are known by their folders then, and without these nothing would seem to have been spent.
  if (!done && account && !account->account.has_clips())
    if (const auto names = names_in_store(files, root); !names) return names.error();
  if (!done)
    print_warning("The ledger may lack what older clips cost, and what became of runs that have died: " +
                  done.error().text);
  return account;
}

}  // namespace

Ledger ledger_of(const std::string &root) {
  return Ledger(FileSystem::posix(), Clock::system(), root, print_warning);
}

Result<LedgerReading> read_account(const std::string &root, Reading reading) {
  Ledger ledger = ledger_of(root);
  auto read = read_up_to_date(ledger, root, reading);
  if (read && read->skipped > 0)
    print_warning("Skipped " + counted(static_cast<int64_t>(read->skipped), "damaged line") + " of " + root +
                  "/ledger.jsonl. What stood there is in no total.");
  return read;
}

Json estimate_json(const std::optional<Estimate> &estimate) {
  if (!estimate) return {};
  return Json::Object{{"low", estimate->low},
                      {"likely", estimate->likely},
                      {"high", estimate->high},
                      {"samples", estimate->samples},
                      {"basis", estimate->basis}};
}

std::string StoredPrompts::of(const std::string &key) {
  if (!prompts_) {
    prompts_.emplace();
    if (const auto clips = list_store(FileSystem::posix(), root_))
      for (const StoredClip &clip : *clips) prompts_->emplace(clip.digest, clip.prompt());
  }
  const auto found = prompts_->find(key);
  return found == prompts_->end() ? "" : found->second;
}

Json charge_json(const Charge &charge, double assumed_price, StoredPrompts &prompts) {
  return Json::Object{{"key", charge.key},
                      {"take", charge.take},
                      {"task_id", known(charge.task_id)},
                      {"state", state_word(charge)},
                      {"at", utc_text(charge.at)},
                      {"model", charge.model},
                      {"project", charge.project},
                      {"api", charge.api},
                      {"base_url", charge.base_url},
                      {"duration", known(charge.duration)},
                      {"resolution", known(charge.resolution)},
                      {"size", known(charge.size)},
                      {"amount", known(charge.amount)},
                      {"spent", charge.spent()},
                      {"reserved", charge.reserved(assumed_price)},
                      {"estimate", estimate_json(charge.estimate)},
                      {"actual_duration", known(charge.actual_duration)},
                      {"corrected", charge.corrected},
                      {"imported", charge.imported},
                      {"prompt", known(prompts.of(charge.key))}};
}

}  // namespace genclip
