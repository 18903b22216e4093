// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/stop_signals.h"

#include <gtest/gtest.h>

#include <csignal>

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

}  // namespace
}  // namespace genclip::test
