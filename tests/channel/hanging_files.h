// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A file whose disk does not answer, or answers with errors.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"

namespace genclip::test {

// The system's. Whoever looks at one file of it, or one of that folder, or opens it, waits while it hangs.
// Any thread.
class HangingFiles final : public FileSystem {
 public:
  // Never destroyed: what has hung may still use it.
  static HangingFiles &shared() {
    static auto &files = *new HangingFiles;
    return files;
  }

  // Empty: none.
  void hang(const std::string &path) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    path_ = path;
    changed_.notify_all();
  }
  // Empty: none. It does answer, but with an error.
  void fail(const std::string &path) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    failing_ = path;
  }
  // At what hangs now.
  bool holds_somebody() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return held_ > 0 && hangs(held_at_);
  }
  // How often a file of that path was opened to be written, or got it as its new name.
  int writes(const std::string &path) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return writes_[path];
  }

  Result<std::optional<FileInfo>> info(const std::string &path) override EXCLUDES(mutex_) {
    wait(path);
    {
      MutexLock lock(mutex_);
      if (path == failing_) return Error{ErrorKind::open_read, "The server is away."};
    }
    return real_.info(path);
  }
  Result<std::unique_ptr<File>> open(const std::string &path, Mode mode) override EXCLUDES(mutex_) {
    wait(path);
    if (mode != Mode::read) count(path);
    return real_.open(path, mode);
  }
  Result<void> rename(const std::string &from, const std::string &to) override EXCLUDES(mutex_) {
    count(to);
    return real_.rename(from, to);
  }
  Result<void> remove(const std::string &path) override { return real_.remove(path); }
  Result<void> make_folder(const std::string &path) override { return real_.make_folder(path); }
  Result<void> sync_folder(const std::string &path) override { return real_.sync_folder(path); }
  Result<std::vector<std::string>> list(const std::string &path) override { return real_.list(path); }
  Result<void> touch(const std::string &path) override { return real_.touch(path); }

 private:
  HangingFiles() = default;
  void wait(const std::string &path) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!hangs(path)) return;
    ++held_;
    held_at_ = path;
    while (hangs(path)) changed_.wait(lock);
    --held_;
  }
  void count(const std::string &path) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++writes_[path];
  }
  bool hangs(const std::string &path) const REQUIRES(mutex_) {
    return path == path_ || (!path_.empty() && path.starts_with(path_ + "/"));
  }

  FileSystem &real_ = FileSystem::posix();
  Mutex mutex_;
  CondVar changed_;
  std::string path_ GUARDED_BY(mutex_), failing_ GUARDED_BY(mutex_);
  int held_ GUARDED_BY(mutex_) = 0;
  std::string held_at_ GUARDED_BY(mutex_);  // The last one.
  std::map<std::string, int> writes_ GUARDED_BY(mutex_);
};

}  // namespace genclip::test
