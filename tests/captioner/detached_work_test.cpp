// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Work that hangs for as long as a test wants: a thread that has left does not wait for it.
#include "elements/captioner/detached_work.h"

#include <gtest/gtest.h>

#include <atomic>

namespace genclip {
namespace {

// The state of a codec, from its start to its end.
class Stage {
 public:
  void reach(int point) {
    MutexLock lock(mutex_);
    point_ = point;
    changed_.notify_all();
  }
  void wait_for(int point) {
    MutexLock lock(mutex_);
    while (point_ < point) changed_.wait(lock);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int point_ GUARDED_BY(mutex_) = 0;
};

enum { kBegun = 1, kMayEnd, kEnded };

TEST(DetachedWork, GivesWhatWasMade) {
  DetachedWork work;
  EXPECT_EQ(work.run([](GCancellable *) { return 4711; }), 4711);
  EXPECT_EQ(work.run([](GCancellable *cancellable) { return !g_cancellable_is_cancelled(cancellable); }),
            true);
}

TEST(DetachedWork, IsLeftWhileItGoesOnAndIsToldSo) {
  DetachedWork work;
  const auto stage = std::make_shared<Stage>();
  std::optional<bool> made = false;
  std::thread waiting([&] {
    made = work.run([stage](GCancellable *cancellable) {
      stage->reach(kBegun);
      stage->wait_for(kMayEnd);
      const bool told = g_cancellable_is_cancelled(cancellable);
      stage->reach(told ? kEnded : kMayEnd);
      return true;
    });
  });
  stage->wait_for(kBegun);
  work.leave();
  waiting.join();  // for ever, if it waited for the work
  EXPECT_EQ(made, std::nullopt);
  EXPECT_EQ(work.run([](GCancellable *) { return 1; }), std::nullopt) << "left until somebody enters";
  stage->reach(kMayEnd);
  stage->wait_for(kEnded);
}

TEST(DetachedWork, ThatWasLeftEndsBeforeTheNextBegins) {
  DetachedWork work;
  const auto stage = std::make_shared<Stage>();
  const auto slow = [stage](GCancellable *) {
    stage->reach(kBegun);
    stage->wait_for(kMayEnd);
    return 0;
  };
  std::thread first([&] { EXPECT_EQ(work.run(slow), std::nullopt); });
  stage->wait_for(kBegun);
  work.leave();
  first.join();
  work.enter();
  std::atomic<bool> has_begun = false;
  std::thread second([&] {
    (void)work.run([&has_begun](GCancellable *) {
      has_begun = true;
      return 0;
    });
  });
  // Gives it every chance to start too early.
  for (int i = 0; i < 100 && !has_begun; ++i) g_usleep(1000);
  EXPECT_FALSE(has_begun);
  stage->reach(kMayEnd);
  second.join();
}

TEST(DetachedWork, ThatWaitsForItsTurnCanBeLeftToo) {
  DetachedWork work;
  const auto stage = std::make_shared<Stage>();
  std::thread first([&] {
    (void)work.run([stage](GCancellable *) {
      stage->reach(kBegun);
      stage->wait_for(kMayEnd);
      return 0;
    });
  });
  stage->wait_for(kBegun);
  work.leave();
  first.join();
  work.enter();
  std::thread second([&] { EXPECT_EQ(work.run([](GCancellable *) { return 0; }), std::nullopt); });
  work.leave();
  second.join();
  stage->reach(kMayEnd);
}

// Its creator is gone; its own data is not.
TEST(DetachedWork, OutlivesWhoBeganIt) {
  const auto stage = std::make_shared<Stage>();
  {
    DetachedWork work;
    std::thread waiting([&] {
      (void)work.run([stage](GCancellable *) {
        stage->reach(kBegun);
        stage->wait_for(kMayEnd);
        stage->reach(kEnded);
        return std::string(1000, 'x');
      });
    });
    stage->wait_for(kBegun);
    work.leave();
    waiting.join();
  }
  stage->reach(kMayEnd);
  stage->wait_for(kEnded);
}

}  // namespace
}  // namespace genclip
