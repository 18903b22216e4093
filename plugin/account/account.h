// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the lines of a ledger come to: each clip's charge, what is spent and reserved, and what captions used.
//
// An account is a pure fold: apply() takes one entry after another, without I/O and without a clock. The
// lines about one clip find each other by the task's ID, and before there is one by the clip's key: a clip
// has one writer at a time (its lock), so what is said of a key is about its latest charge.
//
// Captions make many small requests: a channel sends one every five seconds. A line and a sync for each would
// make a ledger of millions of lines. So a run reserves a block of requests at a time, and one line says both
// what it has used since its previous line and what it holds from now on. After a run's death that block
// keeps counting: its requests may have been sent. The limits of captions are limits of a day, so nobody has
// to look what became of it.
//
// A charge counts on the UTC day on which it was reserved, whenever its amount becomes known; what captions
// have used, on the day of their block. So no limit of a day is exceeded by what an earlier day has allowed.
//
// A whole account of 100 000 lines is large. condensed() keeps of it what a decision needs: charges that may
// still change, sums of the others by day, and the histories of prices and waits. Entries about a charge that
// was let go cannot be applied to it any more; apply() says so, and the ledger is read anew.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugin/account/budget.h"
#include "plugin/account/ledger_entry.h"
#include "plugin/account/price_history.h"
#include "plugin/account/wait_history.h"

namespace genclip {

enum class ChargeState {
  reserved,   // About to be submitted.
  submitted,  // Its task exists.
  unknown,    // Whether it is paid is unknown. It stays reserved until a task of it settles, or is corrected.
  settled,    // Its task has ended.
  released,   // There is no task.
  attached,   // A task that this store never reserved: listed, and counted nowhere.
};

struct Charge : ChargeFacts {
  UtcTime at = {};   // When it was reserved, or first heard of.
  UtcTime end = {};  // When it came into its state.
  ChargeState state = ChargeState::reserved;
  std::string task_id;
  std::optional<Estimate> estimate;
  std::optional<double> amount;  // Credits; none: it was not told.
  std::optional<double> actual_duration;
  std::string status;  // "completed" or "failed", once settled.
  std::string why;     // Why it was released.
  bool imported = false;
  bool corrected = false;  // A person has entered the amount.
  uint64_t sample = 0;     // The number of its sample in the history of prices; 0: it has none.

  bool is_reserved() const { return state == ChargeState::reserved; }
  // Reserved or submitted: a run is at work on it, or has died.
  bool is_under_way() const { return state == ChargeState::reserved || state == ChargeState::submitted; }
  // Its task was completed, and its amount was not told. (A task that failed without one costs nothing.)
  bool is_untold() const { return state == ChargeState::settled && !amount && status != "failed"; }
  // Nobody knows whether it has a task, or what became of that. An amount above 0 that a person has entered
  // changes nothing here, because it does not tell where the clip is. (What has cost nothing has no clip.)
  bool is_in_doubt() const {
    return state == ChargeState::unknown || (state == ChargeState::settled && status.empty() && spent() > 0);
  }
  // What it costs, or whether a task of it may bring its clip, is not known yet, or not any more. Until its
  // amount is known, it counts with its estimate.
  bool is_open() const { return is_under_way() || is_in_doubt() || is_untold(); }
  // A task exists, or may exist.
  bool is_task() const { return state != ChargeState::released && state != ChargeState::attached; }
  // Credits that are known to be spent, also before the task has ended.
  double spent() const { return is_task() ? amount.value_or(0) : 0; }
  // Credits that it may yet cost. `assumed_price`: without an estimate.
  double reserved(double assumed_price) const;
};

// What captions are summed up by.
struct CaptionClass {
  UtcDay day = {};
  std::string base_url;  // Of the text gateway.
  std::string model;
  std::string project;

  auto operator<=>(const CaptionClass &) const = default;
};

// What a run of captions has reserved.
struct CaptionBlock : CaptionHold {
  CaptionClass of;
};

struct Sums {
  // Credits with corrections; tasks that exist or may exist; requests that were sent, and their tokens.
  Amounts spent;
  // Credits of charges that are open; what blocks of captions hold.
  Amounts reserved;
  uint64_t unknown = 0;    // Tasks whose outcome is unknown.
  uint64_t untold = 0;     // That were completed, and whose amount was not told.
  uint64_t corrected = 0;  // In a condensed account: of those that it still has.
};

// A plain value.
class Account {
 public:
  using Days = std::map<UtcDay, Amounts>;
  using CaptionsUsed = std::map<CaptionClass, CaptionUse>;

  Account() = default;
  // A condensed one, to which its entries_of() are to be applied. `has_clips`: it has had charges.
  Account(Days let_go, PriceHistory prices, WaitHistory waits = {}, bool has_clips = true);

  // False: it is about a charge that this condensed account may have let go of, and nothing was changed.
  [[nodiscard]] bool apply(const LedgerEntry &entry);

  // In the order in which they were first heard of. A condensed account has the open ones, and those that
  // were settled since.
  const std::vector<Charge> &charges() const { return charges_; }
  bool is_condensed() const { return is_condensed_; }
  const PriceHistory &prices() const { return prices_; }
  const WaitHistory &waits() const { return waits_; }
  // A condensed account has all of these.
  const CaptionsUsed &captions_used() const { return captions_used_; }
  // By the run's key. A run that holds nothing has none.
  const std::map<std::string, CaptionBlock> &caption_blocks() const { return caption_blocks_; }
  // The tokens of the largest answer of that model, on the latest day that has one; 0: none is known.
  uint64_t most_tokens(const std::string &base_url, const std::string &model) const;
  // Whether any line was about a clip.
  bool has_clips() const { return has_clips_; }
  // Tasks that were completed, and whose clips no run has brought into the store.
  struct Unfetched {
    std::string key;
    std::string base_url;
    std::string task_id;

    auto operator<=>(const Unfetched &) const = default;
  };
  const std::set<Unfetched> &unfetched() const { return unfetched_; }
  bool is_unfetched(const Charge &charge) const {
    return unfetched_.contains({charge.key, charge.base_url, charge.task_id});
  }
  // Whether anything of that clip is open, or unfetched.
  bool has_open(const std::string &key) const;
  // Credits and tasks of the charges that it has let go of; of an account that is not condensed there are
  // none.
  const Days &let_go() const { return let_go_; }

  // `assumed_price`: credits counted for an open charge without an estimate; 0 counts it as nothing.
  Sums sums(const Period &period, double assumed_price) const;

  // The charge of that task; else the latest of that key, but first one whose outcome is unknown and that has
  // no task ID. Null if the account has no such charge; a condensed one does not keep them all.
  const Charge *find(const std::string &key_or_task) const;
  // The charge of that entry's task, which one of another service or API may have the ID of. Null likewise.
  const Charge *find_task(const LedgerEntry &entry) const;

  Account condensed() const;

 private:
  using Indices = std::vector<size_t>;

  bool submitted(const LedgerEntry &entry);
  bool settle(const LedgerEntry &entry);
  bool unknown(const LedgerEntry &entry);
  bool correct(const LedgerEntry &entry);
  void captions(const LedgerEntry &entry);
  static void take_amount(Charge &charge, const LedgerEntry &entry);
  Charge &add(const LedgerEntry &entry, ChargeState state);
  bool may_have_let_go(const LedgerEntry &entry) const;
  Charge *by_task(const LedgerEntry &entry) { return const_cast<Charge *>(find_task(entry)); }
  Charge *without_task(const LedgerEntry &entry, bool (Charge::*is_meant)() const);
  std::optional<size_t> latest(const std::string &key) const;
  void name_task(Charge &charge, const LedgerEntry &entry);
  void learn_price(Charge &charge);

  bool is_condensed_ = false;
  Days let_go_;
  std::vector<Charge> charges_;
  std::unordered_map<std::string, size_t> by_task_;
  std::unordered_map<std::string, Indices> by_key_;
  PriceHistory prices_;
  uint64_t samples_ = 0;
  WaitHistory waits_;
  CaptionsUsed captions_used_;
  std::map<std::string, CaptionBlock> caption_blocks_;
  std::set<Unfetched> unfetched_;
  bool has_clips_ = false;
};

// Of a condensed account: entries that, applied in this order, make its open charges again, what captions
// have used and hold, and what is unfetched.
std::vector<LedgerEntry> entries_of(const Account &account);

}  // namespace genclip
