// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What captions have used: requests to the text gateway and their tokens, by day, gateway, model and project.
//
// Captions make many small requests: a channel sends one every five seconds. A line and a sync for each would
// make a ledger of millions of lines. So a run reserves a block of requests at a time, and one line says both
// what it has used since its previous line and what it holds from now on. Its latest line alone says what it
// holds. After a run's death that block keeps counting on its day: its requests may have been sent. The
// limits of captions are limits of a day, so nobody has to look what became of it.
//
// What a line says was used counts on the day of the run's block, whenever the line is written. So no limit
// of a day is exceeded by what an earlier day has allowed.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "plugin/account/ledger_entry.h"
#include "plugin/base/utc_time.h"

namespace genclip {

// What captions are summed up by.
struct CaptionClass {
  UtcDay day = {};
  std::string base_url;  // Of the text gateway.
  std::string model;
  std::string project;

  auto operator<=>(const CaptionClass &) const = default;
};

// A plain value. Small, however long the ledger is.
class CaptionAccount {
 public:
  using Used = std::map<CaptionClass, CaptionUse>;
  using Rows = std::map<CaptionClass, CaptionCounts>;

  CaptionAccount() = default;
  explicit CaptionAccount(Used used) : used_(std::move(used)) {}

  // An entry of LedgerEvent::captions.
  void apply(const LedgerEntry &entry);

  // All that was used, and what runs hold that are at work or have died.
  Rows rows() const;
  CaptionCounts of_day(UtcDay day) const;
  // The tokens of the largest answer of that model, on the latest day that has one; 0: none is known.
  uint64_t most_tokens(const std::string &base_url, const std::string &model) const;
  bool holds(const std::string &run) const { return runs_.contains(run); }

  const Used &used() const { return used_; }
  // Entries that, applied to an account of used(), make this one again.
  std::vector<LedgerEntry> holds() const;

 private:
  struct Run : CaptionHold {
    CaptionClass of;
  };
  Used used_;
  std::map<std::string, Run> runs_;  // By key. Those that hold anything.
};

}  // namespace genclip
