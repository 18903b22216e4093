// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/service_notifier.h"

#include <glib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"

namespace genclip {

bool WatchdogRule::feeds(uint64_t frames, Clock::Time now) {
  if (frames <= frames_ || (fed_at_ && now - *fed_at_ < interval_)) return false;
  frames_ = frames;
  fed_at_ = now;
  return true;
}

ServiceNotifier ServiceNotifier::of_environment() {
  const auto variable = [](const char *name) -> std::string {
    const char *value = g_getenv(name);
    return value ? value : "";
  };
  std::optional<std::chrono::microseconds> watchdog;
  const auto limit = parse_number<int64_t>(variable("WATCHDOG_USEC"));
  const std::string owner = variable("WATCHDOG_PID");
  if (limit && *limit > 0 && (owner.empty() || parse_number<int64_t>(owner) == int64_t{getpid()}))
    watchdog = std::chrono::microseconds(*limit);
  return {variable("NOTIFY_SOCKET"), watchdog};
}

ServiceNotifier::ServiceNotifier(std::string socket, std::optional<std::chrono::microseconds> watchdog)
    : socket_(std::move(socket)) {
  if (watchdog) watchdog_.emplace(*watchdog);
}

bool ServiceNotifier::reloading(Clock::Time now) const {
  const auto since_boot = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  return send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(since_boot.count()));
}

bool ServiceNotifier::status(const std::string &text) const {
  return send("STATUS=" + shown_line(text, 500));
}

bool ServiceNotifier::alive(uint64_t frames, Clock::Time now) {
  return watchdog_ && watchdog_->feeds(frames, now) && send("WATCHDOG=1");
}

bool ServiceNotifier::send(const std::string &state) const {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_.size() < 2 || socket_.size() >= sizeof address.sun_path ||
      (socket_.front() != '/' && socket_.front() != '@'))
    return false;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // An abstract name has no NUL at its end.
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return false;
  const ssize_t sent = ::sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr *>(&address), size);
  ::close(descriptor);
  return sent == static_cast<ssize_t>(state.size());
}

}  // namespace genclip
