// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Blocks are read by other threads, ahead of a reader that reads on, and each only once.
#include "plugin/generation/clip_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

#include "plugin/base/mutex.h"

namespace genclip::test {
namespace {

constexpr size_t kBlock = ClipReader::kBlock;

std::byte byte_at(uint64_t offset) { return static_cast<std::byte>(offset * 7 + offset / 1000); }

// Of an overlay or a network: it does not tell what is in memory.
class CountedFile final : public File {
 public:
  explicit CountedFile(uint64_t size) : size_(size) {}

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> target) override {
    MutexLock lock(mutex_);
    ++reads_[offset];
    ++in_progress_;
    if (std::this_thread::get_id() == owner_) ++reads_of_owner_;
    changed_.notify_all();
    while (held_ == offset) changed_.wait(lock);
    const size_t count =
        offset < size_ ? static_cast<size_t>(std::min<uint64_t>(target.size(), size_ - offset)) : 0;
    for (size_t i = 0; i < count; ++i) target[i] = byte_at(offset + i);
    --in_progress_;
    changed_.notify_all();
    if (std::exchange(fails_, false)) return Error{ErrorKind::read, "The disk broke."};
    return count;
  }
  bool is_in_memory() override { return is_in_memory_; }
  Result<void> write_at(uint64_t, std::span<const std::byte>) override { return {}; }
  Result<uint64_t> size() override {
    MutexLock lock(mutex_);
    return size_;
  }
  Result<void> truncate(uint64_t) override { return {}; }
  Result<void> sync() override { return {}; }

  void become_shorter(uint64_t size) {
    MutexLock lock(mutex_);
    size_ = size;
  }
  void fail_once() {
    MutexLock lock(mutex_);
    fails_ = true;
  }
  // Reads from this offset wait until another one is held.
  void hold(std::optional<uint64_t> offset) {
    MutexLock lock(mutex_);
    held_ = offset;
    changed_.notify_all();
  }
  void wait_for_all() {
    MutexLock lock(mutex_);
    while (in_progress_ > 0) changed_.wait(lock);
  }
  void wait_for_read(uint64_t offset) {
    MutexLock lock(mutex_);
    while (!reads_.contains(offset)) changed_.wait(lock);
  }
  // Where reads began, and how many.
  std::map<uint64_t, int> reads() {
    MutexLock lock(mutex_);
    return reads_;
  }
  int reads_of_owner() {
    MutexLock lock(mutex_);
    return reads_of_owner_;
  }

  bool is_in_memory_ = false;

 private:
  const std::thread::id owner_ = std::this_thread::get_id();
  Mutex mutex_;
  CondVar changed_;
  uint64_t size_ GUARDED_BY(mutex_);
  bool fails_ GUARDED_BY(mutex_) = false;
  std::optional<uint64_t> held_ GUARDED_BY(mutex_);
  std::map<uint64_t, int> reads_ GUARDED_BY(mutex_);
  int reads_of_owner_ GUARDED_BY(mutex_) = 0;
  int in_progress_ GUARDED_BY(mutex_) = 0;
};

class ClipReaderTest : public testing::Test {
 protected:
  void store(uint64_t size) {
    file_ = std::make_shared<CountedFile>(size);
    clip_.start(file_, size);
    clip_.advance(size);
    clip_.complete();
  }

  // How many right bytes came.
  size_t read(uint64_t offset, size_t size) {
    const Interrupt never;
    std::vector<std::byte> bytes(size);
    const auto count = reader_->read(clip_, offset, bytes, Interrupt::Watch(never));
    if (!count) return 0;
    for (size_t i = 0; i < *count; ++i)
      if (bytes[i] != byte_at(offset + i)) return i;
    return *count;
  }

  std::shared_ptr<CountedFile> file_;
  GrowingClip clip_;
  const std::shared_ptr<ClipReader> reader_ = std::make_shared<ClipReader>();
};

using Reads = std::map<uint64_t, int>;

TEST_F(ClipReaderTest, ReadsEachBlockOnceAndOnAnotherThread) {
  const size_t step = 10'000, size = 80 * step;
  store(size);
  for (uint64_t at = 0; at < size; at += step) EXPECT_EQ(read(at, step), step) << at;
  EXPECT_EQ(file_->reads(), (Reads{{0, 1}, {kBlock, 1}, {2 * kBlock, 1}, {3 * kBlock, 1}}));
  EXPECT_EQ(file_->reads_of_owner(), 0);
}

TEST_F(ClipReaderTest, ReadsTheNextBlockWhileItsReaderIsStillAtTheFirst) {
  store(3 * kBlock);
  ASSERT_EQ(read(0, 1000), 1000u);
  EXPECT_EQ(file_->reads(), (Reads{{0, 1}})) << "a look at the beginning reads no more";
  ASSERT_EQ(read(kBlock / 2, 1000), 1000u);
  file_->wait_for_read(kBlock);
  EXPECT_EQ(file_->reads(), (Reads{{0, 1}, {kBlock, 1}}));
}

TEST_F(ClipReaderTest, KeepsTheBeginningWhileTheEndIsReadAmidIt) {
  store(10 * kBlock);
  ASSERT_EQ(read(0, 100), 100u);
  ASSERT_EQ(read(10 * kBlock - 100, 100), 100u);
  ASSERT_EQ(read(5 * kBlock, 100), 100u);
  ASSERT_EQ(read(200, 100), 100u);
  EXPECT_EQ(file_->reads(), (Reads{{0, 1}, {5 * kBlock, 1}, {10 * kBlock - 100, 1}}));
}

TEST_F(ClipReaderTest, ForgetsTheBlockThatWasUsedLeastRecently) {
  store(10 * kBlock);
  for (uint64_t at : {0, 2, 4, 0, 6}) ASSERT_EQ(read(at * kBlock, 100), 100u);
  ASSERT_EQ(read(0, 100), 100u);
  EXPECT_EQ(file_->reads()[0], 1);
  ASSERT_EQ(read(2 * kBlock, 100), 100u);
  EXPECT_EQ(file_->reads()[2 * kBlock], 2);
}

TEST_F(ClipReaderTest, GivesReadsThatAreLongerThanAllBlocks) {
  store(6 * kBlock);
  EXPECT_EQ(read(77, 5 * kBlock), 5 * kBlock);
}

TEST_F(ClipReaderTest, ReadsNoByteThatIsNotThereYet) {
  file_ = std::make_shared<CountedFile>(4 * kBlock);
  clip_.start(file_, 4 * kBlock);
  clip_.advance(1000);
  ASSERT_EQ(read(0, 1000), 1000u);
  clip_.advance(kBlock + 5);
  ASSERT_EQ(read(1000, kBlock - 1000 + 5), kBlock - 1000 + 5);
  EXPECT_EQ(file_->reads(), (Reads{{0, 1}, {1000, 1}})) << "nothing is ahead";
}

TEST_F(ClipReaderTest, TellsAFailureAndTriesAgain) {
  store(kBlock);
  file_->fail_once();
  EXPECT_EQ(read(0, 100), 0u);
  EXPECT_EQ(read(0, 100), 100u);
  EXPECT_EQ(file_->reads(), (Reads{{0, 2}}));
}

TEST_F(ClipReaderTest, GivesFewerBytesOfAFileThatBecameShorter) {
  store(2 * kBlock);
  file_->become_shorter(500);
  EXPECT_EQ(read(0, 1000), 500u);
  EXPECT_EQ(read(600, 100), 0u);
  EXPECT_EQ(read(kBlock, 100), 0u);
}

TEST_F(ClipReaderTest, LeavesAReadThatHangsWithItsMemory) {
  store(10 * kBlock);
  file_->hold(0);
  Interrupt interrupt;
  const Interrupt::Watch watch(interrupt);
  interrupt.raise();
  std::vector<std::byte> bytes(100);
  const auto left = reader_->read(clip_, 0, bytes, watch);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().kind, ErrorKind::cancelled);
  // Replaces every block; if the one that hangs were among their memory, it would soon be overwritten.
  for (uint64_t at : {2, 4, 6, 8}) ASSERT_EQ(read(at * kBlock, 100), 100u);
  file_->hold(std::nullopt);
  file_->wait_for_all();
  for (uint64_t at : {4, 6, 8}) ASSERT_EQ(read(at * kBlock + 100, 100), 100u);
  EXPECT_EQ(read(0, 100), 100u);
}

TEST_F(ClipReaderTest, ReadsAFileInMemoryWithoutAnotherThread) {
  file_ = std::make_shared<CountedFile>(4 * kBlock);
  file_->is_in_memory_ = true;
  clip_.start(file_, 4 * kBlock);
  clip_.advance(4 * kBlock);
  clip_.complete();
  ASSERT_EQ(read(0, 100), 100u);
  ASSERT_EQ(read(100, 100), 100u);
  EXPECT_EQ(file_->reads_of_owner(), 2);
  EXPECT_EQ(file_->reads().size(), 2u);
}

}  // namespace
}  // namespace genclip::test
