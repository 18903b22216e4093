// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real files in a folder of the test's, that fail when they are told to and lose what was not synced.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"

namespace genclip::test {

// What a crash takes with it.
enum class Loss {
  nothing,   // The process died; the machine lives.
  names,     // A power cut: renames, new and removed names that no sync_folder covered …
  contents,  // … bytes that no sync covered (a name may then stand for an empty file) …
  both,      // … or all of these.
};

// Any thread.
class LossyFileSystem final : public FileSystem {
 public:
  // Everything that is not below `root` is the real file system's.
  explicit LossyFileSystem(std::string root);
  // After the last call of another thread; the lock tells ThreadSanitizer so.
  ~LossyFileSystem() override { MutexLock lock(mutex_); }
  LossyFileSystem(const LossyFileSystem &) = delete;
  LossyFileSystem &operator=(const LossyFileSystem &) = delete;

  // Operations so far, from 1: each call of this and of its files.
  size_t operations() const EXCLUDES(mutex_);
  // That its files have given out so far.
  uint64_t bytes_read() const EXCLUDES(mutex_);
  // From which byte to which the writing of a file was begun (File::begin_sync), each time.
  std::vector<std::pair<uint64_t, uint64_t>> begun() const EXCLUDES(mutex_);
  // That operation and all after it fail, as if the process had died; of a write half is done.
  void die_at(size_t operation) EXCLUDES(mutex_);
  bool is_dead() const EXCLUDES(mutex_);
  // That operation fails, for a reason of its own.
  void fail_at(size_t operation, Error error) EXCLUDES(mutex_);
  // All files together have no more bytes than that; nothing: no limit.
  void limit_space(std::optional<uint64_t> bytes) EXCLUDES(mutex_);
  // Puts the folder into the state that is found after a crash, and lives again. Files that are open are
  // dead.
  void crash(Loss loss) EXCLUDES(mutex_);

  Result<std::unique_ptr<File>> open(const std::string &path, Mode mode) override EXCLUDES(mutex_);
  Result<void> rename(const std::string &from, const std::string &to) override EXCLUDES(mutex_);
  Result<void> remove(const std::string &path) override EXCLUDES(mutex_);
  Result<void> make_folder(const std::string &path) override EXCLUDES(mutex_);
  Result<void> sync_folder(const std::string &path) override EXCLUDES(mutex_);
  Result<std::vector<std::string>> list(const std::string &path) override EXCLUDES(mutex_);
  Result<std::optional<FileInfo>> info(const std::string &path) override EXCLUDES(mutex_);
  std::optional<uint64_t> free_space(const std::string &path) override EXCLUDES(mutex_);
  Result<void> touch(const std::string &path) override EXCLUDES(mutex_);

 private:
  friend class LossyFile;

  // What a name stands for.
  struct Node {
    std::string synced;
    std::string latest;  // Kept when it loses its last name.
  };
  using Names = std::map<std::string, std::shared_ptr<Node>>;

  std::optional<Error> count_operation() REQUIRES(mutex_);
  uint64_t used() const REQUIRES(mutex_);
  void keep_latest(const std::string &path) REQUIRES(mutex_);

  FileSystem &real_ = FileSystem::posix();
  const std::string root_;

  mutable Mutex mutex_;
  Names live_ GUARDED_BY(mutex_);
  Names durable_ GUARDED_BY(mutex_);
  std::set<std::string> live_folders_ GUARDED_BY(mutex_);
  std::set<std::string> durable_folders_ GUARDED_BY(mutex_);
  std::vector<std::pair<std::string, std::string>> moved_folders_ GUARDED_BY(mutex_);
  size_t operations_ GUARDED_BY(mutex_) = 0;
  uint64_t bytes_read_ GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<uint64_t, uint64_t>> begun_ GUARDED_BY(mutex_);
  size_t dies_at_ GUARDED_BY(mutex_) = 0;
  size_t fails_at_ GUARDED_BY(mutex_) = 0;
  Error failure_ GUARDED_BY(mutex_);
  std::optional<uint64_t> space_ GUARDED_BY(mutex_);
  unsigned life_ GUARDED_BY(mutex_) = 0;
};

}  // namespace genclip::test
