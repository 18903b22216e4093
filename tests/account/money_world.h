// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A model of a store's money: clips and runs of captions in several processes, the service that charges
// clips, a gateway that takes tokens, a person who corrects, deaths and days. The account, the decisions and
// the runs are the code's; the books beside them are kept from the contract alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/account/budget.h"
#include "plugin/account/caption_run.h"

namespace genclip::test {

// What is the same all the time.
struct MoneyRules {
  Budget budget;
  unsigned max_tasks = 0;  // At once.
  // For each process whether its clip has an estimate; each has a clip of its own.
  std::vector<bool> is_priced;

  size_t caption_runs = 0;       // At once.
  uint64_t most_tokens = 0;      // Of one of them; 0: no limit.
  uint64_t wanted_requests = 3;  // At a time.
};

// One submit, as an accountant beside the process, the service and the disk would note it.
struct Attempt {
  enum class State {
    reserved,  // The line is written.
    running,   // The task is known and has not ended.
    doubtful,  // What became of it is unknown.
    told,      // `known` is what it cost.
    untold,    // Completed, without an amount.
    released,  // There is no task.
  };

  size_t process = 0;
  int day = 0;
  int told_on = 0;  // The day of the last line about it.
  State state = State::reserved;
  bool is_intended = false;  // The POST may have left.
  bool is_dead = false;      // Its process died, and nobody has looked since.
  std::string task;          // Its ID, where the process has it.
  double price = 0;          // What the service really charges.
  double known = 0;
};

// A process that asks for captions, one run after another.
struct Captioner {
  CaptionRun run;
  std::string key;
  uint64_t left = 0;  // What it was granted and has not sent.
  int sent_on = 0;    // The day of its latest request.
  bool is_answered = false;
  bool is_refused = false;  // Asks no more on this day.
};

struct MoneyWorld {
  MoneyRules rules;
  int day = 0;
  std::vector<Attempt> attempts;
  Account account;    // Of all lines.
  Account condensed;  // Condensed after each line, and read anew where it had to be.
  std::vector<Captioner> captioners;
  unsigned runs = 0;  // Of captions, begun so far.
  // What really left, by day, and what the gateway really took.
  uint64_t sent[2] = {};
  uint64_t taken = 0;
  std::string violation;

  // All that tells this world from others.
  std::string text() const;
};

MoneyWorld money_world(const MoneyRules &rules);

struct MoneyStep {
  std::string event;
  MoneyWorld world;
};
std::vector<MoneyStep> steps_of(const MoneyWorld &world);

// Empty when all is well.
std::string broken_promise(const MoneyWorld &world);

// ---- For the parts of this world.

UtcTime noon_of(int day);
void accuse(MoneyWorld &world, const std::string &violation);
// Has both accounts take it.
void write(MoneyWorld &world, const LedgerEntry &entry);

void begin_run(MoneyWorld &world, size_t captioner);
void add_caption_steps(const MoneyWorld &world, std::vector<MoneyStep> &steps);
std::string caption_text(const MoneyWorld &world);
std::string broken_caption_promise(const MoneyWorld &world);

}  // namespace genclip::test
