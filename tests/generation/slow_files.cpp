// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One gate before all calls; closing a file is one of them.
#include "tests/generation/slow_files.h"

namespace genclip::test {
namespace {

// Lets a test that waits for a hanging disk fail instead of hanging too.
constexpr auto kLongestWait = std::chrono::seconds(60);

}  // namespace

class SlowFile final : public File {
 public:
  SlowFile(SlowFiles &files, std::unique_ptr<File> real) : files_(files), real_(std::move(real)) {
    files_.count_files(1);
  }
  ~SlowFile() override {
    files_.meet();
    files_.count_files(-1);
  }
  SlowFile(const SlowFile &) = delete;
  SlowFile &operator=(const SlowFile &) = delete;

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> target) override {
    return files_.call([&] { return real_->read_at(offset, target); });
  }
  Result<void> write_at(uint64_t offset, std::span<const std::byte> source) override {
    return files_.call([&] { return real_->write_at(offset, source); });
  }
  Result<uint64_t> size() override {
    return files_.call([&] { return real_->size(); });
  }
  Result<void> truncate(uint64_t size) override {
    return files_.call([&] { return real_->truncate(size); });
  }
  Result<void> sync() override {
    return files_.call([&] { return real_->sync(); });
  }

 private:
  SlowFiles &files_;
  const std::unique_ptr<File> real_;
};

Result<std::unique_ptr<File>> SlowFiles::open(const std::string &path, Mode mode) {
  meet();
  auto file = real_.open(path, mode);
  if (!file) return file;
  return std::unique_ptr<File>(std::make_unique<SlowFile>(*this, std::move(*file)));
}

void SlowFiles::hang() {
  MutexLock lock(mutex_);
  hangs_ = true;
}

void SlowFiles::let_go() {
  MutexLock lock(mutex_);
  hangs_ = false;
  changed_.notify_all();
}

bool SlowFiles::wait_for_caller() {
  MutexLock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (hanging_ == 0 && changed_.wait_until(lock, end)) {
  }
  return hanging_ > 0;
}

size_t SlowFiles::calls_of_owner() const {
  MutexLock lock(mutex_);
  return calls_of_owner_;
}

size_t SlowFiles::open_files() const {
  MutexLock lock(mutex_);
  return open_files_;
}

void SlowFiles::count_files(int change) {
  MutexLock lock(mutex_);
  open_files_ += static_cast<size_t>(change);
}

void SlowFiles::meet() {
  MutexLock lock(mutex_);
  if (std::this_thread::get_id() == owner_) ++calls_of_owner_;
  ++hanging_;
  changed_.notify_all();
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (hangs_ && changed_.wait_until(lock, end)) {
  }
  --hanging_;
}

}  // namespace genclip::test
