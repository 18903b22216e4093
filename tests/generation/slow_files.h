// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The real files on a disk that hangs on demand.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"

namespace genclip::test {

// Any thread. Must outlive its files.
class SlowFiles final : public FileSystem {
  template <typename Do>
  auto call(Do action) {
    meet();
    return action();
  }

 public:
  // From now on each call hangs until it is released.
  void hang() EXCLUDES(mutex_);
  void let_go() EXCLUDES(mutex_);
  // Waits until a call hangs.
  bool wait_for_caller() EXCLUDES(mutex_);
  // Calls of the thread that made this.
  size_t calls_of_owner() const EXCLUDES(mutex_);
  // Files that are open.
  size_t open_files() const EXCLUDES(mutex_);

  Result<std::unique_ptr<File>> open(const std::string &path, Mode mode) override;
  Result<void> rename(const std::string &from, const std::string &to) override {
    return call([&] { return real_.rename(from, to); });
  }
  Result<void> remove(const std::string &path) override {
    return call([&] { return real_.remove(path); });
  }
  Result<void> make_folder(const std::string &path) override {
    return call([&] { return real_.make_folder(path); });
  }
  Result<void> sync_folder(const std::string &path) override {
    return call([&] { return real_.sync_folder(path); });
  }
  Result<std::vector<std::string>> list(const std::string &path) override {
    return call([&] { return real_.list(path); });
  }
  Result<std::optional<FileInfo>> info(const std::string &path) override {
    return call([&] { return real_.info(path); });
  }
  Result<void> touch(const std::string &path) override {
    return call([&] { return real_.touch(path); });
  }

 private:
  friend class SlowFile;

  void meet() EXCLUDES(mutex_);
  void count_files(int change) EXCLUDES(mutex_);
  FileSystem &real_ = FileSystem::posix();
  const std::thread::id owner_ = std::this_thread::get_id();
  mutable Mutex mutex_;
  CondVar changed_;
  bool hangs_ GUARDED_BY(mutex_) = false;
  size_t hanging_ GUARDED_BY(mutex_) = 0;
  size_t calls_of_owner_ GUARDED_BY(mutex_) = 0;
  size_t open_files_ GUARDED_BY(mutex_) = 0;
};

}  // namespace genclip::test
