// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/stop_signals.h"

#include <glib-unix.h>

#include <atomic>

#include "plugin/generation/exit_guard.h"

namespace genclip {
namespace {

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> noted_signal = 0;
std::atomic<std::chrono::nanoseconds> noted_at = std::chrono::nanoseconds(0);

// The handler of signals.
void note_or_end(int signal) {
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  int none = 0;
  if (noted_signal.compare_exchange_strong(none, signal)) {
    noted_at = now;
  } else if (!ExitGuard::is_same_stop(noted_at, now)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

template <int kSignal>
guint StopSignals::source_of() {
  struct sigaction before = {};
  ::sigaction(kSignal, nullptr, &before);
  return before.sa_handler == SIG_IGN ? 0 : g_unix_signal_add(kSignal, note_now<kSignal>, this);
}

StopSignals::StopSignals()
    : sources_{source_of<SIGINT>(), source_of<SIGTERM>(), source_of<SIGHUP>(),
               g_timeout_add_seconds(1, note_second, this)} {}

StopSignals::~StopSignals() {
  for (const guint source : sources_)
    if (source != 0) g_source_remove(source);
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

StopNote::StopNote() {
  noted_signal = 0;
  struct sigaction note = {};
  note.sa_handler = note_or_end;
  for (size_t i = 0; i < std::size(kStops); ++i) {
    ::sigaction(kStops[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kStops[i], &note, nullptr);
  }
}

StopNote::~StopNote() {
  for (size_t i = 0; i < std::size(kStops); ++i) ::sigaction(kStops[i], &before_[i], nullptr);
}

int StopNote::signal() const { return noted_signal; }

}  // namespace genclip
