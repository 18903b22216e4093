// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Readers wait for the bytes they need, and for nothing else.
#include "plugin/generation/growing_clip.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

class GrowingClipTest : public testing::Test {
 protected:
  GrowingClipTest() {
    file_ = taken(FileSystem::posix().open(folder_.file("part"), FileSystem::Mode::read_write));
    std::vector<std::byte> bytes(1000);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
    EXPECT_TRUE(file_->write_at(0, bytes));
  }

  // The current content.
  std::optional<GrowingClip::Ready> now(uint64_t offset, uint64_t count, bool any) {
    const Interrupt never;
    const auto ready = clip_.wait(offset, count, any, Interrupt::Watch(never));
    return ready ? std::optional(*ready) : std::nullopt;
  }

  // Reading this waits until it is interrupted.
  bool waits(uint64_t offset, uint64_t count, bool any) {
    Interrupt interrupt;
    const Interrupt::Watch watch(interrupt);
    std::atomic<bool> done{false};
    bool interrupted = false;
    std::thread reader([&] {
      interrupted = !clip_.wait(offset, count, any, watch);
      done = true;
    });
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (!done && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    interrupt.raise();
    clip_.wake();
    reader.join();
    return interrupted;
  }

  TemporaryFolder folder_;
  std::shared_ptr<File> file_;
  GrowingClip clip_;
};

TEST_F(GrowingClipTest, ShowsNothingBeforeItsSizeIsKnown) {
  EXPECT_EQ(clip_.size(), std::nullopt);
  clip_.start(file_, 0);
  clip_.advance(500);
  EXPECT_EQ(clip_.size(), std::nullopt);
  EXPECT_TRUE(waits(0, 10, true));
  clip_.complete();
  EXPECT_EQ(clip_.size(), 500u);
  EXPECT_EQ(now(0, 1000, true)->available, 500u);
}

TEST_F(GrowingClipTest, GivesSomeBytesOrAllThatWereAskedFor) {
  clip_.start(file_, 1000);
  clip_.advance(500);
  EXPECT_EQ(now(0, 100, false)->available, 100u);
  EXPECT_EQ(now(450, 100, true)->available, 50u);
  EXPECT_TRUE(waits(450, 100, false)) << "not all of them are there";
  EXPECT_TRUE(waits(500, 100, true)) << "none of them is there";
  clip_.advance(600);
  EXPECT_EQ(now(450, 100, false)->available, 100u);
}

TEST_F(GrowingClipTest, KeepsTheLastByteUntilTheClipIsStored) {
  clip_.start(file_, 1000);
  clip_.advance(1000);
  EXPECT_EQ(now(0, 1000, true)->available, 999u);
  EXPECT_TRUE(waits(999, 1, true));
  clip_.complete();
  EXPECT_EQ(now(999, 1, true)->available, 1u);
  EXPECT_EQ(now(0, 1000, false)->available, 1000u);
}

TEST_F(GrowingClipTest, EndsAtItsEnd) {
  clip_.start(file_, 1000);
  EXPECT_EQ(now(1000, 10, true)->available, 0u);
  EXPECT_EQ(now(uint64_t{1} << 60, 10, false)->available, 0u);
  EXPECT_EQ(now(UINT64_MAX, UINT64_MAX, false)->size, 1000u);
}

TEST_F(GrowingClipTest, ServesWhatIsThereAfterAFailureAndThenTheError) {
  clip_.start(file_, 1000);
  clip_.advance(300);
  clip_.fail({ErrorKind::read, "It broke."});
  EXPECT_EQ(now(0, 300, false)->available, 300u);
  const Interrupt never;
  const auto failed = clip_.wait(300, 1, true, Interrupt::Watch(never));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().text, "It broke.");
}

TEST_F(GrowingClipTest, AnInterruptIsStickyAndEndsEveryWait) {
  Interrupt interrupt;
  interrupt.raise();
  const auto waited = clip_.wait(0, 1, true, Interrupt::Watch(interrupt));
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().kind, ErrorKind::cancelled);
}

TEST_F(GrowingClipTest, BeginsAnewOnlyWhileNobodyHasReadIt) {
  clip_.start(file_, 1000);
  clip_.advance(500);
  EXPECT_TRUE(clip_.restart());
  EXPECT_EQ(clip_.size(), std::nullopt);
  std::byte byte;
  EXPECT_FALSE(clip_.read(0, std::span(&byte, 1)));
  clip_.start(file_, 800);
  clip_.advance(10);
  ASSERT_TRUE(now(0, 5, false));
  EXPECT_FALSE(clip_.restart());
  EXPECT_EQ(clip_.size(), 800u);
}

TEST_F(GrowingClipTest, ManyReadersGetEveryByteOnceAsItGrows) {
  std::vector<std::thread> readers;
  std::atomic<int> whole{0};
  const Interrupt never;
  for (size_t step : {1, 7, 64, 1000})
    readers.emplace_back([&, step] {
      std::vector<std::byte> bytes(1000);
      uint64_t offset = 0;
      for (;;) {
        const auto ready = clip_.wait(offset, step, true, Interrupt::Watch(never));
        ASSERT_TRUE(ready);
        if (ready->available == 0) break;
        const auto count = clip_.read(offset, std::span(bytes).subspan(offset, ready->available));
        ASSERT_TRUE(count);
        ASSERT_EQ(*count, ready->available);
        offset += *count;
      }
      bool same = offset == 1000;
      for (size_t i = 0; i < bytes.size(); ++i) same = same && bytes[i] == static_cast<std::byte>(i * 7);
      if (same) ++whole;
    });
  clip_.start(file_, 1000);
  for (uint64_t available = 1; available <= 1000; ++available) clip_.advance(available);
  clip_.complete();
  for (std::thread &reader : readers) reader.join();
  EXPECT_EQ(whole, 4);
}

}  // namespace
}  // namespace genclip::test
