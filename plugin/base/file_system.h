// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The few file operations that genclip needs, each with a stated durability. Tests insert a layer that loses
// what was not synced.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

// An open file. Positional calls only: any number of threads may read while one writes.
class File {
 public:
  virtual ~File() = default;

  // Returns the number of bytes read, which is smaller than the target only at the end of the file. This and
  // size() may fail with ErrorKind::stale where another machine has replaced the file: retry_when_replaced()
  // opens it again.
  virtual Result<size_t> read_at(uint64_t offset, std::span<std::byte> target) = 0;
  // Fills the target if all of it is in memory already, and never waits for a disk. False: it is not, or that
  // cannot be determined.
  virtual bool read_at_once(uint64_t /*offset*/, std::span<std::byte> /*target*/) { return false; }
  // Its file system is in memory, so read_at() waits for no disk. To determine that may wait for one.
  virtual bool is_in_memory() { return false; }
  // Writes all bytes, or fails (ErrorKind::no_space_left when the disk is full).
  virtual Result<void> write_at(uint64_t offset, std::span<const std::byte> source) = 0;
  virtual Result<uint64_t> size() = 0;
  virtual Result<void> truncate(uint64_t size) = 0;
  // Asks the system to begin writing what the next sync() would otherwise write. Only a hint.
  virtual void begin_sync(uint64_t /*offset*/, uint64_t /*size*/) {}
  // On return the content survives a power cut; the name may not (sync_folder).
  virtual Result<void> sync() = 0;
};

struct FileInfo {
  uint64_t size = 0;
  bool is_folder = false;
  bool is_regular = false;
  std::chrono::system_clock::time_point modified = {};
  // When anything of it was changed, its names too. Unlike `modified`, nobody can set it.
  std::chrono::system_clock::time_point changed = {};
  uint64_t inode = 0;  // On a mounted bucket, it may be another one each time.
};

// Absolute. The links of its folders are followed, as far as these exist; a link at the end is not. Blocks
// for the disk, as the next one does.
std::string destination_path(const std::string &path);
// Where a file that a user names is: the links at the end are followed, too, also to what is not there yet;
// but none below `last_folder`, if one is named. Open files by it, because FileSystem follows no link in the
// place of a file. What ends in a slash, and so names no file, stays as it is.
std::string resolved_path(const std::string &path, std::string_view last_folder = {});

// Whether an errno says that no more bytes fit: on the disk, in a quota, or in one file.
bool means_no_room(int error_number);

class FileSystem {
 public:
  enum class Mode {
    read,        // must exist
    read_write,  // made with mode 0600 when missing
    publish,     // as read_write, but other users may read it (mode 0644), whatever the umask is
  };

  virtual ~FileSystem() = default;

  virtual Result<std::unique_ptr<File>> open(const std::string &path, Mode mode) = 0;
  // Replaces `to`. Durable once its folder is synced (sync_folder).
  virtual Result<void> rename(const std::string &from, const std::string &to) = 0;
  // Succeeds when there is no such file. A folder must be empty.
  virtual Result<void> remove(const std::string &path) = 0;
  // Makes missing parents too, with mode 0700. Succeeds when it exists.
  virtual Result<void> make_folder(const std::string &path) = 0;
  virtual Result<void> sync_folder(const std::string &path) = 0;
  // Names without "." and "..", sorted.
  virtual Result<std::vector<std::string>> list(const std::string &path) = 0;
  // Nothing when there is no such file.
  virtual Result<std::optional<FileInfo>> info(const std::string &path) = 0;
  // Bytes that this user can still write into the folder; nothing when that is not known.
  virtual std::optional<uint64_t> free_space(const std::string & /*path*/) { return std::nullopt; }
  // Sets the modification time to now.
  virtual Result<void> touch(const std::string &path) = 0;

  // The operating system's. Never destroyed.
  static FileSystem &posix();
};

}  // namespace genclip
