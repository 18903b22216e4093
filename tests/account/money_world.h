// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A model of a store's money: several processes, the service that charges them, a person who corrects, and
// days. The account and the decisions are the code's; the books beside them are kept from the contract alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/account/account.h"
#include "plugin/account/budget.h"

namespace genclip::test {

// What is the same all the time.
struct MoneyRules {
  Budget budget;
  unsigned max_tasks = 0;  // At once.
  // For each process whether its clip has an estimate; each has a clip of its own.
  std::vector<bool> is_priced;
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

struct MoneyWorld {
  MoneyRules rules;
  int day = 0;
  std::vector<Attempt> attempts;
  Account account;    // Of all lines.
  Account condensed;  // Condensed after each line, and read anew where it had to be.
  std::string violation;

  // All that tells this world from others.
  std::string text() const;
};

struct MoneyStep {
  std::string event;
  MoneyWorld world;
};
std::vector<MoneyStep> steps_of(const MoneyWorld &world);

// Empty when all is well.
std::string broken_promise(const MoneyWorld &world);

}  // namespace genclip::test
