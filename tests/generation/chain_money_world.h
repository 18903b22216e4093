// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A request, the clips that it is made of, their folders, the store's ledger and budget, and the service, as
// plain values. One run makes them, may be killed before any write, and begins again; each of its steps can
// fail, and a neighbour removes what no run holds.
#pragma once

#include <climits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/account/budget.h"
#include "plugin/core/chain_run.h"
#include "plugin/core/clip_run.h"
#include "plugin/generation/clip_status.h"

namespace genclip::test {

// What a clip is estimated to cost where that is known, in credits; and what some cost instead.
constexpr double kPrice = 2, kDear = 3;

constexpr unsigned kAnySetbacks = UINT_MAX;

// What is the same all the time.
struct ChainMoneyRules {
  std::vector<std::vector<size_t>> needs;  // The clips that each one refers to; the last is the request.
  Budget budget = {};
  double max_amount = 0;
  MaySubmit may_submit = MaySubmit::even_in_doubt;
  bool is_priced = true;       // The ledger knows what such clips cost.
  bool are_some_dear = false;  // The service charges more than that for some.
  bool can_vanish = false;     // Folders that are not complete may be removed, too.
  unsigned most_tasks = 4;     // Of each clip.
  // Events that do not bring the chain forward; they are counted only where they are limited.
  unsigned most_setbacks = kAnySetbacks;
};

// What the service knows, and what the store could know of it.
struct ChainTask {
  std::string id;
  size_t clip = 0;
  double price = kPrice;  // What the service charges in the end.
  bool is_told = false;   // Its ID reached a run, which journalled it.
  bool is_price_told = false;
  bool is_price_kept = false;  // … and the ledger was told.
  bool is_completed = false;   // … and the service has said so.
  bool has_failed = false;
  bool is_forgotten = false;     // The service denies it.
  bool is_failure_told = false;  // A run has ended with it, or warned of it.
  bool is_fetched = false;       // Its clip was whole in the store.
  bool is_warned_of = false;     // A run that paid after it said so.
  bool is_settled = false;       // … and a clip was whole since.
};

// A clip's folder, and what cannot be known of its submits.
struct ChainFolder {
  std::optional<ClipRecord> disk;  // task.json
  std::string file;    // The task whose clip is the whole one in the folder; empty: there is none.
  std::string unsent;  // The reservation for which, as the folder says, no request has left.
  bool is_held = false;
  unsigned phantoms = 0;  // Submits that may have been accepted, and were not.
};

// The run of one clip: of the request, or of a link that it has to make.
struct ChainLevel {
  std::vector<size_t> plan;  // The clips that it is made of, in order, and itself.
  ClipRun run;
  GenerationState state;
  std::optional<ChainRun> chain;
  std::string reserved_at;  // Empty: it has reserved nothing.
  double paid_before = 0;
  bool downloads = false;  // The task is completed, the clip is on its way.
  bool has_warned = false;

  size_t clip() const { return plan.back(); }
};

struct ChainMoneyWorld {
  const ChainMoneyRules *rules = nullptr;
  std::vector<ChainFolder> clips;
  std::vector<ChainTask> tasks;
  Account account;                                       // Of the ledger's lines.
  std::vector<ChainLevel> levels;                        // The outermost run first; empty: none is at work.
  std::vector<std::pair<size_t, std::string>> reserved;  // By this run: the clip and the moment, once each.
  unsigned sent = 0;  // Requests of this run that were, or may have been, accepted.
  unsigned setbacks = 0;
  std::string violation;

  // While an event goes on: its writes are counted; the process dies before one of them, or one fails.
  unsigned writes = 0, trials = 0;
  std::optional<unsigned> dies_before, fails_at;
  bool is_dead = false;

  std::string text() const;
};

ChainMoneyWorld chain_money_world(const ChainMoneyRules &rules);

struct ChainMoneyStep {
  std::string event;
  ChainMoneyWorld world;
};

// Every event that can happen now.
std::vector<ChainMoneyStep> steps_of(const ChainMoneyWorld &world);

// What must hold, should everything stop here: empty, or what does not.
std::string broken_promise(const ChainMoneyWorld &world);

}  // namespace genclip::test
