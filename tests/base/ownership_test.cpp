// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ownership of references, errors, results and locks.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

namespace genclip {
namespace {

unsigned count_of(GObject *object) { return object->ref_count; }

TEST(GRef, AdoptsWithoutCountingAndSharesWithIt) {
  GObject *object = G_OBJECT(g_cancellable_new());
  {
    const auto adopted = GRef<GObject>::adopt(object);
    EXPECT_EQ(count_of(object), 1u);
    const auto shared = GRef<GObject>::share(object);
    EXPECT_EQ(count_of(object), 2u);
    auto copy = shared;
    EXPECT_EQ(count_of(object), 3u);
    auto moved = std::move(copy);
    EXPECT_EQ(count_of(object), 3u);
    EXPECT_FALSE(copy);
    copy = moved;
    EXPECT_EQ(count_of(object), 4u);
    auto &same = copy;
    copy = same;
    EXPECT_EQ(count_of(object), 4u);
    copy = nullptr;
    EXPECT_EQ(count_of(object), 3u);
    GObject *released = moved.release();
    EXPECT_FALSE(moved);
    EXPECT_EQ(count_of(object), 3u);
    g_object_unref(released);
    EXPECT_EQ(count_of(object), 2u);
    g_object_add_weak_pointer(object, reinterpret_cast<gpointer *>(&object));
  }
  EXPECT_EQ(object, nullptr) << "the last reference is gone";
}

TEST(GRef, CountsMiniObjectsAndBoxedTypesInTheirOwnWay) {
  gst_init(nullptr, nullptr);
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new());
  {
    const auto shared = buffer;
    EXPECT_EQ(GST_MINI_OBJECT_REFCOUNT_VALUE(buffer.get()), 2);
    EXPECT_FALSE(gst_buffer_is_writable(buffer.get()));
  }
  EXPECT_TRUE(gst_buffer_is_writable(buffer.get()));

  // GstSample hides that it is a mini object.
  const auto sample = GRef<GstSample>::adopt(gst_sample_new(buffer.get(), nullptr, nullptr, nullptr));
  {
    const auto shared = sample;
    EXPECT_EQ(GST_MINI_OBJECT_REFCOUNT_VALUE(sample.get()), 2);
  }
  EXPECT_EQ(GST_MINI_OBJECT_REFCOUNT_VALUE(sample.get()), 1);

  static bool freed;
  freed = false;
  {
    auto bytes = GRef<GBytes>::adopt(g_bytes_new_with_free_func(
        "x", 1, [](gpointer) { freed = true; }, nullptr));
    const auto shared = bytes;
    bytes = nullptr;
    EXPECT_FALSE(freed);
  }
  EXPECT_TRUE(freed);
}

TEST(GRef, OfNothingIsNothing) {
  const GRef<GObject> empty;
  const auto shared = GRef<GObject>::share(nullptr);
  const auto copy = shared;
  EXPECT_FALSE(empty);
  EXPECT_FALSE(copy);
}

TEST(ErrorSlot, FillsAndReplaces) {
  GErrorPtr error;
  char *text = nullptr;
  ASSERT_FALSE(g_file_get_contents("/no such file", &text, nullptr, take(error)));
  ASSERT_TRUE(error);
  EXPECT_TRUE(g_error_matches(error.get(), G_FILE_ERROR, G_FILE_ERROR_NOENT));
  ASSERT_TRUE(g_file_get_contents("/dev/null", &text, nullptr, take(error)));
  const GStringPtr owned(text);
  EXPECT_FALSE(error) << "an old error does not outlive a call that went well";
}

TEST(Result, HoldsOneOfTheTwo) {
  const auto half = [](int number) -> Result<int> {
    if (number % 2) return Error{ErrorKind::settings, "odd"};
    return number / 2;
  };
  EXPECT_EQ(*half(4), 2);
  EXPECT_FALSE(half(3));
  EXPECT_EQ(half(3).error().text, "odd");
  // Also when both have the same type.
  const Result<void> nothing;
  EXPECT_TRUE(nothing);
  EXPECT_FALSE(Result<void>(cancelled()));
  EXPECT_EQ(Result<void>(cancelled()).error().kind, ErrorKind::cancelled);
}

TEST(Result, MovesItsValueOut) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 7);
  EXPECT_EQ(*result, nullptr);
  Result<std::unique_ptr<int>, std::unique_ptr<std::string>> failure(std::make_unique<std::string>("e"));
  const std::unique_ptr<std::string> error = std::move(failure).error();
  EXPECT_EQ(*error, "e");
}

struct Counter {
  Mutex mutex;
  CondVar changed;
  int value GUARDED_BY(mutex) = 0;
};

TEST(Mutex, LetsOneThreadInAtATime) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&counter] {
      for (int j = 0; j < 20000; ++j) {
        MutexLock lock(counter.mutex);
        counter.value = counter.value + 1;
      }
    });
  for (std::thread &thread : threads) thread.join();
  MutexLock lock(counter.mutex);
  EXPECT_EQ(counter.value, 80000);
}

TEST(MutexLock, CanBeOpenedForACallOut) {
  Counter counter;
  MutexLock lock(counter.mutex);
  lock.unlock();
  std::thread other([&counter] {
    MutexLock inner(counter.mutex);
    counter.value = 5;
  });
  other.join();
  lock.lock();
  EXPECT_EQ(counter.value, 5);
}

TEST(CondVar, WakesAllAndTellsATimeFromANotification) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&counter] {
      MutexLock lock(counter.mutex);
      while (counter.value == 0) counter.changed.wait(lock);
      counter.value = counter.value + 1;
    });
  {
    MutexLock lock(counter.mutex);
    counter.value = 1;
    counter.changed.notify_all();
  }
  for (std::thread &thread : threads) thread.join();
  MutexLock lock(counter.mutex);
  EXPECT_EQ(counter.value, 4);
  EXPECT_FALSE(counter.changed.wait_until(lock, std::chrono::steady_clock::now() - std::chrono::seconds(1)));
}

}  // namespace
}  // namespace genclip
