// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells systemd how the service is (sd_notify(3)). Without systemd nothing happens.
//
// The protocol is one datagram of text to the socket in $NOTIFY_SOCKET, which its manual page invites
// programs to send by themselves. libsystemd would be one more library in every program, for a sendto().
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/base/clock.h"

namespace genclip {

// When the watchdog is fed: pure. Frames that leave are the only sign of life that counts, because a channel
// whose threads run but whose picture stands is dead.
class WatchdogRule {
 public:
  // Systemd restarts the service when it has heard nothing for `limit`; it is fed twice as often.
  explicit WatchdogRule(std::chrono::microseconds limit) : interval_(limit / 2) {}

  // True: feed it now. `frames`: how many have left.
  bool feeds(uint64_t frames, Clock::Time now);

 private:
  const std::chrono::microseconds interval_;
  std::optional<Clock::Time> fed_at_;
  uint64_t frames_ = 0;
};

// One thread. Never waits: what the socket does not take at once is lost.
class ServiceNotifier {
 public:
  // As the environment says: NOTIFY_SOCKET, and WATCHDOG_USEC if it is meant for this process (WATCHDOG_PID).
  static ServiceNotifier of_environment();
  // `socket`: a path, or "@" and an abstract name; empty: nobody listens.
  ServiceNotifier(std::string socket, std::optional<std::chrono::microseconds> watchdog);

  bool ready() const { return send("READY=1"); }
  bool stopping() const { return send("STOPPING=1"); }
  bool reloading(Clock::Time now) const;  // ready() ends it.
  // One line for `systemctl status`; any text.
  bool status(const std::string &text) const;
  // Call it about once a second.
  bool alive(uint64_t frames, Clock::Time now);

 private:
  // False: nobody listens, or the socket did not take it.
  bool send(const std::string &state) const;

  std::string socket_;
  std::optional<WatchdogRule> watchdog_;
};

}  // namespace genclip
