// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A store's ledger, as the commands that show it read it.
#pragma once

#include <string>

#include "plugin/account/cost_report.h"
#include "plugin/account/ledger.h"
#include "plugin/base/json.h"
#include "plugin/command/console.h"

namespace genclip {

enum class Reading {
  whole,      // Every charge.
  condensed,  // What limits and estimates need; fast.
};

// The ledger, as read_all() or read_condensed(), once it was told what the store's journals know. Prints
// warnings on standard error, such as for lines that were skipped.
Result<LedgerReading> read_account(const std::string &root, Reading reading);

// null: unknown.
Json estimate_json(const std::optional<Estimate> &estimate);

// A charge with all that is known of it; docs/command.md describes it.
Json charge_json(const Charge &charge, double assumed_price);

// "2026-11-22 09:50 UTC".
std::string minute_text(UtcTime time);

}  // namespace genclip
