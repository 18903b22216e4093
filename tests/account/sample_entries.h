// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Entries of a ledger for tests.
#pragma once

#include <string>

#include "plugin/account/account.h"

namespace genclip::test {

inline UtcTime at(const std::string &text) { return utc_time(text).value(); }

inline ChargeFacts facts_of(const std::string &key, double duration = 5) {
  ChargeFacts facts;
  facts.key = key;
  facts.model = "sd_2.0_special";
  facts.api = "tasks";
  facts.base_url = "https://api.example/v";
  facts.duration = duration;
  facts.resolution = "720p";
  return facts;
}

inline LedgerEntry entry_of(LedgerEvent event, const std::string &key, const std::string &task_id = "",
                            const std::string &time = "2026-11-22T10:00:00.000Z") {
  LedgerEntry entry(event, facts_of(key));
  entry.at = at(time);
  entry.task_id = task_id;
  return entry;
}

inline LedgerEntry reserve_of(const std::string &key, std::optional<double> high,
                              const std::string &time = "2026-11-22T10:00:00.000Z") {
  LedgerEntry entry = entry_of(LedgerEvent::reserve, key, "", time);
  if (high) entry.estimate = Estimate{*high / 2, *high / 2, *high, 1, "same"};
  return entry;
}

inline LedgerEntry settle_of(const std::string &key, const std::string &task_id, std::optional<double> amount,
                             const std::string &status = "completed",
                             const std::string &time = "2026-11-22T10:00:00.000Z") {
  LedgerEntry entry = entry_of(LedgerEvent::settle, key, task_id, time);
  entry.amount = amount;
  entry.status = status;
  return entry;
}

inline LedgerEntry correct_of(const std::string &key, const std::string &task_id, double amount) {
  LedgerEntry entry = entry_of(LedgerEvent::correct, key, task_id);
  entry.amount = amount;
  return entry;
}

inline Account account_of(const std::vector<LedgerEntry> &entries) {
  Account account;
  for (const LedgerEntry &entry : entries) static_cast<void>(account.apply(entry));
  return account;
}

}  // namespace genclip::test
