// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A store's ledger, as the commands that show it read it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "plugin/account/cost_report.h"
#include "plugin/account/ledger.h"
#include "plugin/base/json.h"
#include "plugin/command/console.h"

namespace genclip {

enum class Reading {
  whole,      // Every charge.
  condensed,  // What limits and estimates need; fast.
};

// The store's ledger. A long wait for its lock is told on standard error.
Ledger ledger_of(const std::string &root);

// The ledger, as read_all() or read_condensed(), once it was told what the store's journals know. Prints
// warnings on standard error, such as for lines that were skipped.
Result<LedgerReading> read_account(const std::string &root, Reading reading);

// null: unknown.
Json estimate_json(const std::optional<Estimate> &estimate);

// What clips show, by which people know them: the ledger holds no prompts, so only of those in the store.
// Reads the store when it is first asked.
class StoredPrompts {
 public:
  explicit StoredPrompts(std::string root) : root_(std::move(root)) {}
  // Empty: that clip is not stored any more.
  std::string of(const std::string &key);

 private:
  const std::string root_;
  std::optional<std::map<std::string, std::string>> prompts_;  // By key.
};

// A charge with all that is known of it; docs/command.md describes it.
Json charge_json(const Charge &charge, double assumed_price, StoredPrompts &prompts);

}  // namespace genclip
