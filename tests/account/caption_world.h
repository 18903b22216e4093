// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A model of captions' money: several runs on one ledger, a gateway that takes tokens, deaths and days. The
// account, the decisions and the runs are the code's; the books beside them are kept from the contract alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/account/budget.h"
#include "plugin/account/caption_account.h"
#include "plugin/account/caption_run.h"

namespace genclip::test {

struct CaptionProcess {
  CaptionRun run;
  std::string key;
  uint64_t left = 0;  // What it was granted and has not sent.
  int sent_on = 0;    // The day of its latest request.
  bool is_answered = false;
  bool is_refused = false;  // Asks no more on this day.
};

struct CaptionWorld {
  Budget budget;
  uint64_t max_tokens = 0;  // Of a run.
  uint64_t wanted = 3;
  int day = 0;
  unsigned runs = 0;  // Begun so far.
  std::vector<CaptionProcess> processes;
  CaptionAccount account;
  // What really left, and what the gateway really took.
  uint64_t sent[2] = {};
  uint64_t taken = 0;
  std::string violation;

  void begin_run(size_t process);
  // All that tells this world from others.
  std::string text() const;
};
CaptionWorld caption_world(const Budget &budget, size_t processes, uint64_t max_tokens = 0);

struct CaptionStep {
  std::string event;
  CaptionWorld world;
};
std::vector<CaptionStep> steps_of(const CaptionWorld &world);

// Empty when all is well.
std::string broken_promise(const CaptionWorld &world);

}  // namespace genclip::test
