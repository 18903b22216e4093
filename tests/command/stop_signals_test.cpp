// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/stop_signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace genclip::test {
namespace {

using namespace std::chrono_literals;

// As coreutils' timeout sends them. Ctrl-C twice stops at once, and loses the ID of a task that is paid.
TEST(StopSignals, CountTwoAtTheSameMomentOnce) {
  StopSignals signals;
  signals.note(SIGTERM, 7h);
  signals.note(SIGINT, 7h + 30us);
  signals.note(SIGTERM, 7h + 999ms);
  EXPECT_EQ(signals.count(), 1u);
  EXPECT_EQ(signals.last(), SIGTERM);
}

TEST(StopSignals, CountASecondOneThatComesASecondLater) {
  StopSignals signals;
  signals.note(SIGTERM, 7h);
  signals.note(SIGINT, 7h + 1s);
  EXPECT_EQ(signals.count(), 2u);
  EXPECT_EQ(signals.last(), SIGINT);
  signals.note(SIGINT, 7h + 1s + 30us);
  EXPECT_EQ(signals.count(), 2u);
}

// As nohup has SIGHUP ignored, and a shell SIGINT by what it starts with "&".
TEST(StopSignals, LeaveWhatIsIgnored) {
  const auto handler_of = [](int signal) {
    struct sigaction found = {};
    ::sigaction(signal, nullptr, &found);
    return found.sa_handler;
  };
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignals signals;
    EXPECT_EQ(handler_of(SIGHUP), SIG_IGN);
    EXPECT_NE(handler_of(SIGTERM), SIG_IGN);
    std::raise(SIGTERM);
    while (signals.count() == 0) g_main_context_iteration(nullptr, TRUE);
    EXPECT_EQ(signals.last(), SIGTERM);
  }
  EXPECT_EQ(handler_of(SIGHUP), SIG_IGN);
  std::signal(SIGHUP, before);
}

TEST(StopNote, HoldsBackOneSignalAndWhatComesWithIt) {
  const StopNote stop;
  EXPECT_EQ(stop.signal(), 0);
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_EQ(stop.signal(), SIGTERM);
}

// What writes may be blocked for ever.
TEST(StopNoteDeathTest, LetsASecondOneEndTheProcess) {
  EXPECT_EXIT(
      {
        const StopNote stop;
        std::raise(SIGTERM);
        std::this_thread::sleep_for(1100ms);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(StopNote, LeavesWhatIsIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const StopNote stop;
    std::raise(SIGHUP);
    EXPECT_EQ(stop.signal(), 0);
  }
  std::signal(SIGHUP, before);
}

}  // namespace
}  // namespace genclip::test
