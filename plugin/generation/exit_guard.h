// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Delays the process's end for a moment while the answer to a submit is outstanding: Ctrl-C at that moment
// would lose the ID of a task that is charged.
#pragma once

#include <chrono>

namespace genclip {

// Held from before the intent is journalled until the answer is, while references are published and room is
// made in the store, and while gencaption writes what it has paid for. Any thread. Delays exit(), and the
// default action of SIGINT, SIGTERM and SIGHUP, by three seconds at most; a second one of these signals, a
// second later or more, ends the process at once. A signal that the application handles or ignores is left to
// it.
class ExitGuard {
 public:
  ExitGuard();
  ~ExitGuard();
  ExitGuard(const ExitGuard &) = delete;
  ExitGuard &operator=(const ExitGuard &) = delete;

  // A program such as coreutils' timeout sends its signal to the process and to its group, at once: these two
  // are one stop.
  static constexpr bool is_same_stop(std::chrono::nanoseconds first, std::chrono::nanoseconds now) {
    return now - first < std::chrono::seconds(1);
  }

  // The application is ending, or ends its use of clips, and may have given up its handlers (as gst-launch
  // does at its first Ctrl-C): the signals that nobody handles now are delayed as well, while there is a
  // guard.
  static void look_again();

  // Such a signal has come, so nothing new must begin.
  static bool is_ending();

  // For tests: in place of the three seconds.
  static void set_patience(std::chrono::milliseconds patience);
  // For tests: the signals' clock, in place of CLOCK_MONOTONIC.
  static void set_clock(std::chrono::nanoseconds (*clock)());
};

}  // namespace genclip
