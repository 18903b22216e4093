// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The exit of a process waits for its own thread; the exit of a fork waits for none.
#include "plugin/http/io_thread.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using ExitClock = std::chrono::steady_clock;

// In a child: where it tells how long its exit handlers took.
int told_to = -1;
ExitClock::time_point exit_began;

// Exit handlers run in the reverse order of their registration: this one, from before main(), comes last.
const int told = std::atexit([] {
  if (told_to < 0) return;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(ExitClock::now() - exit_began);
  const auto ms = static_cast<int>(took.count());
  static_cast<void>(!::write(told_to, &ms, sizeof ms));
  ::_exit(0);
});

int exit_of_a_fork_ms() {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    told_to = ends[1];
    exit_began = ExitClock::now();
    std::exit(0);
  }
  ::close(ends[1]);
  int ms = -1;
  if (::read(ends[0], &ms, sizeof ms) != sizeof ms) ms = -1;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return ms;
}

TEST(IoThread, KeepsNoForkFromItsExit) {
  ASSERT_EQ(told, 0);
  IoThread::get();
  int shortest = 100'000;
  for (int i = 0; i < 5; ++i) {
    const int ms = exit_of_a_fork_ms();
    ASSERT_GE(ms, 0);
    shortest = std::min(shortest, ms);
  }
  EXPECT_LT(std::chrono::milliseconds(shortest), time_limit(std::chrono::milliseconds(250)))
      << "of half a second that a thread that hangs is given";
}

}  // namespace
}  // namespace genclip::test
