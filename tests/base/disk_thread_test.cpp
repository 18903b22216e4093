// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A hanging job affects no other job. In a queue, it holds up the others.
#include "plugin/base/disk_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "plugin/base/disk_queue.h"
#include "plugin/base/mutex.h"

namespace genclip {
namespace {

struct Seen {
  Mutex mutex;
  CondVar changed;
  int begun GUARDED_BY(mutex) = 0;
  int ended GUARDED_BY(mutex) = 0;
  bool open GUARDED_BY(mutex) = false;
  std::set<std::thread::id> threads GUARDED_BY(mutex);
};

constexpr auto kPatience = std::chrono::seconds(60);

TEST(DiskThread, RunsEachJobAlthoughAllOthersHang) {
  const auto seen = std::make_shared<Seen>();
  for (int i = 0; i < 20; ++i)
    on_disk_thread([seen] {
      MutexLock lock(seen->mutex);
      ++seen->begun;
      seen->threads.insert(std::this_thread::get_id());
      seen->changed.notify_all();
      const auto end = std::chrono::steady_clock::now() + kPatience;
      while (!seen->open && seen->changed.wait_until(lock, end)) {
      }
      ++seen->ended;
      seen->changed.notify_all();
    });
  MutexLock lock(seen->mutex);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (seen->begun < 20 && seen->changed.wait_until(lock, end)) {
  }
  EXPECT_EQ(seen->begun, 20);
  EXPECT_EQ(seen->threads.size(), 20u);
  EXPECT_EQ(seen->threads.count(std::this_thread::get_id()), 0u);
  seen->open = true;
  seen->changed.notify_all();
  while (seen->ended < 20 && seen->changed.wait_until(lock, end)) {
  }
  EXPECT_EQ(seen->ended, 20);
}

TEST(DiskThread, LetsGoOfWhatAJobHolds) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  on_disk_thread([held = std::move(held)] {});
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!watched.expired() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(watched.expired());
}

TEST(DiskQueue, HoldsOneJobOfAName) {
  const auto queue = DiskQueue::make();
  const auto seen = std::make_shared<Seen>();
  const auto done = std::make_shared<std::string>();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  queue->add_once("lines", [seen, done, end] {
    MutexLock lock(seen->mutex);
    seen->begun = 1;
    seen->changed.notify_all();
    while (!seen->open && seen->changed.wait_until(lock, end)) {
    }
    *done += "hung ";
  });
  {
    MutexLock lock(seen->mutex);
    while (seen->begun == 0 && seen->changed.wait_until(lock, end)) {
    }
  }
  for (int i = 0; i < 3; ++i) {
    queue->add_once("lines", [done] { *done += "lines "; });
    queue->add([done] { *done += "other "; });
  }
  EXPECT_FALSE(queue->wait_until_empty(std::chrono::steady_clock::now()));
  {
    MutexLock lock(seen->mutex);
    seen->open = true;
    seen->changed.notify_all();
  }
  ASSERT_TRUE(queue->wait_until_empty(end));
  EXPECT_EQ(*done, "hung lines other other other ");
}

}  // namespace
}  // namespace genclip
