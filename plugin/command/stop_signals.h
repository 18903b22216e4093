// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Counts the signals that ask a program to stop, and the seconds, in the main context.
#pragma once

#include <glib.h>

#include <chrono>
#include <csignal>

namespace genclip {

// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process; each wakes the main context, and so does
// each second. What the process ignores, as SIGHUP behind nohup, stays ignored. For the main thread.
class StopSignals {
 public:
  // As long as the process's exit would be delayed for the answer to a submit (see exit_guard.h).
  static constexpr unsigned kSubmitPatience_s = 3;

  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  // Counts a signal, unless it is the same stop as the one before (see exit_guard.h).
  void note(int signal, std::chrono::nanoseconds now);

  int last() const { return last_; }
  unsigned count() const { return count_; }
  unsigned seconds() const { return seconds_; }

 private:
  template <int kSignal>
  guint source_of();
  template <int kSignal>
  static gboolean note_now(gpointer self);
  static gboolean note_second(gpointer self);

  int last_ = 0;
  unsigned count_ = 0;
  std::chrono::nanoseconds counted_at_{0};
  unsigned seconds_ = 0;
  const guint sources_[4];  // 0: none.
};

// The same for a thread that runs no main context, because it writes, which may block for ever: the first
// signal is only noted, and a second one, a second later or more, ends the process. What the process ignores
// stays ignored. One at a time.
class StopNote {
 public:
  StopNote();
  ~StopNote();
  StopNote(const StopNote &) = delete;
  StopNote &operator=(const StopNote &) = delete;

  int signal() const;  // 0: none has come.

 private:
  struct sigaction before_[3];  // Of SIGINT, SIGTERM and SIGHUP.
};

}  // namespace genclip
