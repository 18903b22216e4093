// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/background_work.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock;

TEST(BackgroundWork, TheLastUserWaitsUntilItIsDone) {
  std::optional<BackgroundWorkUser> user(std::in_place);
  std::optional<BackgroundWork> work(std::in_place);
  Time::time_point done;
  std::thread worker([&] {
    std::this_thread::sleep_for(milliseconds(50));
    done = Time::now();
    work.reset();
  });
  user.reset();
  const auto gone = Time::now();
  worker.join();
  EXPECT_GE(gone, done);
}

TEST(BackgroundWork, ManyThatEndOneByOneMayTakeMoreThanASecond) {
  std::optional<BackgroundWorkUser> user(std::in_place);
  std::vector<std::unique_ptr<BackgroundWork>> works(15);
  for (auto &work : works) work = std::make_unique<BackgroundWork>();
  std::thread worker([&] {
    for (auto &work : works) {
      std::this_thread::sleep_for(milliseconds(100));  // Much less than the second that each may take.
      work.reset();
    }
  });
  const auto begun = Time::now();
  user.reset();
  EXPECT_GE(Time::now() - begun, milliseconds(1400));
  worker.join();
}

TEST(BackgroundWork, NobodyWaitsForWhatHangsNorWhileAnotherOneUsesIt) {
  const BackgroundWork hanging;
  {
    const BackgroundWorkUser other;
    const auto begun = Time::now();
    { const BackgroundWorkUser user; }
    EXPECT_LT(Time::now() - begun, time_limit(milliseconds(900))) << "there is another one";
  }  // Waits for a second.
  const auto begun = Time::now();
  { const BackgroundWorkUser user; }
  EXPECT_GE(Time::now() - begun, milliseconds(900));
  EXPECT_LT(Time::now() - begun, time_limit(std::chrono::seconds(30)));
}

}  // namespace
}  // namespace genclip::test
