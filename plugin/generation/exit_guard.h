// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Delays the process's end for a moment while the answer to a submit is outstanding: Ctrl-C at that moment
// would lose the ID of a task that is charged.
#pragma once

#include <chrono>

namespace genclip {

// Held from before the intent is journalled until the answer is, while references are published and room is
// made in the store, and while gencaption writes what it has paid for. Any thread. Delays exit(), and the
// default action of SIGINT, SIGTERM and SIGHUP, by three seconds at most; a second one of these signals ends
// the process at once. A signal that the application handles or ignores is left to it.
class ExitGuard {
 public:
  ExitGuard();
  ~ExitGuard();
  ExitGuard(const ExitGuard &) = delete;
  ExitGuard &operator=(const ExitGuard &) = delete;

  // Such a signal has come, so nothing new must begin.
  static bool is_ending();

  // For tests: in place of the three seconds.
  static void set_patience(std::chrono::milliseconds patience);
};

}  // namespace genclip
