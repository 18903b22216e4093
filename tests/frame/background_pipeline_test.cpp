// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "plugin/base/background_work.h"

namespace genclip::test {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock;

TEST(BackgroundPipeline, IsWorkUntilItIsDestroyed) {
  std::optional<BackgroundWorkUser> user(std::in_place);
  GRef<GstElement> pipeline = new_background_pipeline();
  Time::time_point done;
  std::thread worker([&] {
    std::this_thread::sleep_for(milliseconds(50));
    done = Time::now();
    pipeline = {};
  });
  user.reset();
  const auto gone = Time::now();
  worker.join();
  EXPECT_GE(gone, done);
}

}  // namespace
}  // namespace genclip::test
