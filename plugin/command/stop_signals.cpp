// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/stop_signals.h"

#include <glib-unix.h>

#include <csignal>

#include "plugin/generation/exit_guard.h"

namespace genclip {

StopSignals::StopSignals()
    : sources_{g_unix_signal_add(SIGINT, note_now<SIGINT>, this),
               g_unix_signal_add(SIGTERM, note_now<SIGTERM>, this),
               g_unix_signal_add(SIGHUP, note_now<SIGHUP>, this),
               g_timeout_add_seconds(1, note_second, this)} {}

StopSignals::~StopSignals() {
  for (const guint source : sources_) g_source_remove(source);
}

void StopSignals::note(int signal, std::chrono::nanoseconds now) {
  if (count_ > 0 && ExitGuard::is_same_stop(counted_at_, now)) return;
  last_ = signal;
  counted_at_ = now;
  ++count_;
}

template <int kSignal>
gboolean StopSignals::note_now(gpointer self) {
  static_cast<StopSignals *>(self)->note(kSignal, std::chrono::microseconds(g_get_monotonic_time()));
  return G_SOURCE_CONTINUE;
}

gboolean StopSignals::note_second(gpointer self) {
  ++static_cast<StopSignals *>(self)->seconds_;
  return G_SOURCE_CONTINUE;
}

}  // namespace genclip
