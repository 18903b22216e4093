// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/service_notifier.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;

// What systemd listens on.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string &name)
      : descriptor_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    is_bound_ = ::bind(descriptor_, reinterpret_cast<sockaddr *>(&address),
                       static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0;
  }
  ~NotifySocket() { ::close(descriptor_); }
  NotifySocket(const NotifySocket &) = delete;
  NotifySocket &operator=(const NotifySocket &) = delete;

  bool is_bound() const { return is_bound_; }
  // The next message that has come; empty: none.
  std::string message() const {
    char text[1024];
    const ssize_t size = ::recv(descriptor_, text, sizeof text, 0);
    return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
  }

 private:
  int descriptor_;
  bool is_bound_ = false;
};

TEST(ServiceNotifier, TellsBothKindsOfSockets) {
  const TemporaryFolder folder;
  for (const std::string &name :
       {folder.file("notify"), "@genclip-test/" + std::to_string(getpid()) + "/notify"}) {
    const NotifySocket socket(name);
    ASSERT_TRUE(socket.is_bound()) << name;
    const ServiceNotifier notifier(name, std::nullopt);
    EXPECT_TRUE(notifier.ready());
    EXPECT_EQ(socket.message(), "READY=1");
    EXPECT_TRUE(notifier.status("On the air: kite\nREADY=1"));
    EXPECT_EQ(socket.message(), "STATUS=On the air: kite READY=1");
    EXPECT_TRUE(notifier.reloading(Clock::Time(5s)));
    EXPECT_EQ(socket.message(), "RELOADING=1\nMONOTONIC_USEC=5000000");
    EXPECT_TRUE(notifier.stopping());
    EXPECT_EQ(socket.message(), "STOPPING=1");
  }
}

TEST(ServiceNotifier, IsSilentWithoutSystemd) {
  for (const std::string &name : {std::string(), std::string("@"), std::string("relative"),
                                  std::string("/no/such/socket"), std::string(200, '/')})
    EXPECT_FALSE(ServiceNotifier(name, 1s).ready()) << name;
}

TEST(ServiceNotifier, NeverWaitsForAFullSocket) {
  const std::string name = "@genclip-test/" + std::to_string(getpid()) + "/full";
  const NotifySocket socket(name);
  ASSERT_TRUE(socket.is_bound());
  const ServiceNotifier notifier(name, std::nullopt);
  ::alarm(20);  // A call that waits would never return.
  int sent = 0;
  while (sent < 100000 && notifier.ready()) ++sent;
  ::alarm(0);
  EXPECT_LT(sent, 100000) << "the queue is full long before";
}

TEST(ServiceNotifier, FeedsTheWatchdogOfThisProcessOnly) {
  const std::string name = "@genclip-test/" + std::to_string(getpid()) + "/dog";
  const NotifySocket socket(name);
  ASSERT_TRUE(socket.is_bound());
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  ::setenv("WATCHDOG_USEC", "20000000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  auto own = ServiceNotifier::of_environment();
  EXPECT_TRUE(own.alive(25, Clock::Time(1s)));
  EXPECT_EQ(socket.message(), "WATCHDOG=1");
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(ServiceNotifier::of_environment().alive(25, Clock::Time(1s)));
  ::unsetenv("WATCHDOG_PID");
  EXPECT_TRUE(ServiceNotifier::of_environment().alive(25, Clock::Time(1s)));
  ::setenv("WATCHDOG_USEC", "soon", 1);
  EXPECT_FALSE(ServiceNotifier::of_environment().alive(25, Clock::Time(1s)));
  for (const char *variable : {"NOTIFY_SOCKET", "WATCHDOG_USEC"}) ::unsetenv(variable);
}

TEST(WatchdogRule, IsFedTwiceInItsTimeWhileFramesLeave) {
  WatchdogRule rule(10s);
  unsigned fed = 0;
  for (unsigned second = 1; second <= 60; ++second)
    fed += rule.feeds(uint64_t{25} * second, Clock::Time(std::chrono::seconds(second)));
  EXPECT_EQ(fed, 12u);
}

TEST(WatchdogRule, StarvesWhenNoFrameLeaves) {
  WatchdogRule rule(10s);
  EXPECT_FALSE(rule.feeds(0, Clock::Time(1s))) << "nothing has left yet";
  EXPECT_TRUE(rule.feeds(25, Clock::Time(2s)));
  for (int second = 3; second < 60; ++second)
    EXPECT_FALSE(rule.feeds(25, Clock::Time(std::chrono::seconds(second)))) << second;
  EXPECT_TRUE(rule.feeds(26, Clock::Time(60s)));
}

}  // namespace
}  // namespace genclip::test
