// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One request, its folder, its charges in the ledger, the service and two processes, as plain values: every
// state that journal and ledger can come to is reached by applying events, and what must never be is a
// violation.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/core/clip_run.h"

namespace genclip::test {

// What the service knows, and what the store could know of it.
struct ServiceTask {
  std::string id;
  bool is_foreign = false;  // Not submitted by this store; only `task-id` leads to it.
  bool is_told = false;     // Its ID reached a run, which journalled it.
  bool is_done = false;
  bool is_known_done = false;  // … and journal or ledger says so.
  bool has_failed = false;
  bool is_failure_told = false;  // A run has ended with it, or warned of it.
  bool owes_warning = false;   // A run has warned that it failed, perhaps at a cost, and none has paid since.
  bool is_fetched = false;     // Its clip was whole in the store.
  bool is_warned_of = false;   // A run that paid after it said so.
  bool is_settled = false;     // … and a clip was whole since.
  bool has_price = false;      // Its amount was told.
  bool is_price_kept = false;  // … and nothing can have lost it since.
  bool is_line_lost = false;   // Of a foreign one: a line of the ledger was lost that names it.
};

struct Process {
  ClipRun run;
  bool has_turn = false;
  bool downloads = false;  // The task is completed, the clip is on its way.
  bool waits = false;      // The service wants the refused submit later.
  bool has_warned = false;
  std::string first_whole;
  std::string first_look;                   // The journal's text when it began to wait; empty: it did not.
  std::string reserved_at;                  // Empty: it has reserved nothing.
  std::string charged_at;                   // Its last reservation, whatever became of it.
  std::optional<ClipRecord> before_intent;  // The journal, while it submits.
};

struct JournalWorld {
  std::optional<ClipRecord> disk;  // task.json
  std::string file;           // The task whose clip is the whole one in the folder; empty: there is none.
  bool is_file_lost = false;  // Somebody has removed that file, and nothing else.
  bool has_stray = false;     // A clip that was whole lies in the folder, but its journal is gone.
  std::string unsent;         // The reservation for which, as the folder says, no request has left.
  std::string part;           // The task whose clip is clip.part, whole.
  std::vector<ServiceTask> tasks;
  std::array<std::optional<Process>, 2> processes;
  unsigned doubts = 0;      // Submits of which the store cannot know what became of them.
  unsigned phantoms = 0;    // … and that were not accepted.
  Account account;          // Of the ledger's lines.
  bool is_mute = false;     // The process dies before its next line is in the ledger.
  bool is_cut = false;      // The process dies after a line that comes before its record.
  bool has_prices = false;  // The service may tell an amount with any answer, and once only.
  bool can_vanish = false;  // The folder may be removed, or the journal in it.
  std::string violation;

  std::string text() const;
};

struct WorldStep {
  std::string event;
  JournalWorld world;
};

// Every event that can happen now.
std::vector<WorldStep> steps_of(const JournalWorld &world);

// What must hold beside: empty, or what does not.
std::string broken_promise(const JournalWorld &world);

}  // namespace genclip::test
