// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/stop_signals.h"

#include <glib-unix.h>

#include <csignal>

namespace genclip {

StopSignals::StopSignals()
    : sources_{g_unix_signal_add(SIGINT, note<SIGINT>, this), g_unix_signal_add(SIGTERM, note<SIGTERM>, this),
               g_unix_signal_add(SIGHUP, note<SIGHUP>, this), g_timeout_add_seconds(1, note_second, this)} {}

StopSignals::~StopSignals() {
  for (const guint source : sources_) g_source_remove(source);
}

template <int kSignal>
gboolean StopSignals::note(gpointer self) {
  auto &signals = *static_cast<StopSignals *>(self);
  signals.last_ = kSignal;
  ++signals.count_;
  return G_SOURCE_CONTINUE;
}

gboolean StopSignals::note_second(gpointer self) {
  ++static_cast<StopSignals *>(self)->seconds_;
  return G_SOURCE_CONTINUE;
}

}  // namespace genclip
