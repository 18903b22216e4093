// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/file_system.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "plugin/base/fresh_lookup.h"
#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr char kOtherFolder[] = " Check its permissions, or choose another folder with the property store.";

struct Meaning {
  int code;
  ErrorKind kind;
  const char *advice;
};

constexpr Meaning kMeanings[] = {
    {ENOSPC, ErrorKind::no_space_left, " Free some space and run again; the data stored so far is kept."},
    {EDQUOT, ErrorKind::no_space_left, " Free some space and run again; the data stored so far is kept."},
    {EFBIG, ErrorKind::no_space_left,
     " The file system or a limit of this process does not allow a larger file. Choose another folder with "
     "the "
     "property store, or raise the limit, and run again; the data stored so far is kept."},
    {ENOENT, ErrorKind::not_found, ""},
    {EACCES, ErrorKind::open_write, kOtherFolder},
    {EPERM, ErrorKind::open_write, kOtherFolder},
    {EROFS, ErrorKind::open_write, kOtherFolder},
    {ENAMETOOLONG, ErrorKind::open_write, kOtherFolder},
};

constexpr Meaning kOther = {0, ErrorKind::write, ""};

const Meaning &meaning_of(int code) {
  const auto *found = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                   [code](const Meaning &row) { return row.code == code; });
  return found == std::end(kMeanings) ? kOther : *found;
}

Error failure(const char *doing, const std::string &path, int code, const Meaning &meaning) {
  return {meaning.kind,
          std::string("Could not ") + doing + " " + path + ": " + g_strerror(code) + "." + meaning.advice};
}

Error failure(const char *doing, const std::string &path) {
  const int code = errno;
  return failure(doing, path, code, meaning_of(code));
}

class PosixFile final : public File {
 public:
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixFile() override { ::close(descriptor_); }
  PosixFile(const PosixFile &) = delete;
  PosixFile &operator=(const PosixFile &) = delete;

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> target) override {
    size_t done = 0;
    bool is_second_look = false;
    while (done < target.size()) {
      const ssize_t count =
          ::pread(descriptor_, target.data() + done, target.size() - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return read_failure();
      if (count == 0) {
        // Asking for the size again makes a shared file system drop the one in its cache.
        const auto now = size();
        if (!now) return now.error();
        if (is_second_look || *now <= offset + done) break;
        is_second_look = true;
        continue;
      }
      is_second_look = false;
      done += static_cast<size_t>(count);
    }
    return done;
  }

  bool read_at_once(uint64_t offset, std::span<std::byte> target) override {
    if (!tells_what_is_in_memory_) return false;
    const struct iovec all = {target.data(), target.size()};
    const ssize_t count = ::preadv2(descriptor_, &all, 1, static_cast<off_t>(offset), RWF_NOWAIT);
    // Overlays and network file systems do not know the flag.
    if (count < 0 && errno == EOPNOTSUPP) tells_what_is_in_memory_ = false;
    return count >= 0 && static_cast<size_t>(count) == target.size();
  }

  bool is_in_memory() override {
    struct statfs status;
    if (::fstatfs(descriptor_, &status) != 0) return false;
    // Negative for RAMFS_MAGIC where the field has 32 bits.
    const auto type = static_cast<uint32_t>(status.f_type);
    return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
  }

  Result<void> write_at(uint64_t offset, std::span<const std::byte> source) override {
    while (!source.empty()) {
      const ssize_t count = ::pwrite(descriptor_, source.data(), source.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failure("write", path_);
      source = source.subspan(static_cast<size_t>(count));
      offset += static_cast<uint64_t>(count);
    }
    return {};
  }

  Result<uint64_t> size() override {
    struct statx status;
    if (fresh_status(descriptor_, "", AT_EMPTY_PATH, status) < 0) return read_failure();
    return status.stx_size;
  }

  Result<void> truncate(uint64_t size) override {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) < 0) return failure("shorten", path_);
    return {};
  }

  void begin_sync(uint64_t offset, uint64_t size) override {
    ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(size),
                      SYNC_FILE_RANGE_WRITE);
  }

  Result<void> sync() override {
    if (::fsync(descriptor_) < 0) return failure("write", path_);
    return {};
  }

 private:
  Error read_failure() const {
    const ErrorKind kind = errno == ESTALE ? ErrorKind::stale : ErrorKind::read;
    Error error = failure("read", path_);
    error.kind = kind;
    return error;
  }

  const int descriptor_;
  const std::string path_;
  std::atomic<bool> tells_what_is_in_memory_ = true;
};

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(const std::string &path, Mode mode) override {
    const int flags = mode == Mode::read ? O_RDONLY : O_RDWR | O_CREAT;
    struct stat status;
    // Opening a pipe in its place would wait for the pipe's other end.
    const int descriptor = open_fresh(path, flags | O_NOFOLLOW | O_NONBLOCK, &status);
    if (descriptor < 0) {
      // Keeps a file of another user apart from a disk that fails.
      const bool is_foreign = mode == Mode::read && (errno == EACCES || errno == EPERM);
      Error error = failure("open", path);
      if (is_foreign)
        error.kind = ErrorKind::not_authorized;
      else if (error.kind != ErrorKind::not_found && error.kind != ErrorKind::no_space_left)
        error.kind = mode == Mode::read ? ErrorKind::open_read : ErrorKind::open_write;
      return error;
    }
    // A mounted bucket knows no modes, and shows all files.
    if (mode == Mode::publish) static_cast<void>(::fchmod(descriptor, 0644));
    if (!S_ISREG(status.st_mode)) {
      ::close(descriptor);
      return Error{mode == Mode::read ? ErrorKind::open_read : ErrorKind::open_write,
                   path + " is not a regular file."};
    }
    return std::unique_ptr<File>(std::make_unique<PosixFile>(descriptor, path));
  }

  Result<void> rename(const std::string &from, const std::string &to) override {
    if (look_again(from, [&] { return ::rename(from.c_str(), to.c_str()); }) < 0)
      return failure("rename", from);
    return {};
  }

  Result<void> remove(const std::string &path) override {
    if (look_again(path, [&] { return ::remove(path.c_str()); }) < 0 && errno != ENOENT)
      return failure("remove", path);
    return {};
  }

  Result<void> make_folder(const std::string &path) override {
    if (look_again(path, [&] { return g_mkdir_with_parents(path.c_str(), 0700); }) == 0) return {};
    // Whatever the reason is, and even if it speaks of a missing file: nothing can be written there.
    const int code = errno;
    return failure(
        "make the folder", path, code,
        means_no_room(code) ? meaning_of(code) : Meaning{code, ErrorKind::open_write, kOtherFolder});
  }

  Result<void> sync_folder(const std::string &path) override {
    const int descriptor =
        look_again(path, [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (descriptor < 0) return failure("open the folder", path);
    const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL;  // Some shared file systems have none.
    Result<void> result;
    if (!synced) result = failure("write the folder", path);
    ::close(descriptor);
    return result;
  }

  Result<std::vector<std::string>> list(const std::string &path) override {
    GDir *folder = nullptr;
    const auto open = [&] { return (folder = g_dir_open(path.c_str(), 0, nullptr)) ? 0 : -1; };
    if (look_again(path, open) < 0) return failure("read the folder", path);
    std::vector<std::string> names;
    while (const char *name = g_dir_read_name(folder)) names.emplace_back(name);
    g_dir_close(folder);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::optional<FileInfo>> info(const std::string &path) override {
    struct statx status;
    refresh_folder(folder_of(path));
    const auto ask = [&] { return fresh_status(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, status); };
    if (retry_when_stale(ask) < 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::optional<FileInfo>();
      return failure("look at", path);
    }
    FileInfo info;
    info.size = status.stx_size;
    info.is_folder = S_ISDIR(status.stx_mode);
    info.is_regular = S_ISREG(status.stx_mode);
    // Not by time_t, which has 32 bits on some machines.
    const auto time_of = [](const struct statx_timestamp &stamp) {
      return std::chrono::system_clock::time_point(
          std::chrono::duration_cast<std::chrono::system_clock::duration>(
              std::chrono::seconds(stamp.tv_sec) + std::chrono::nanoseconds(stamp.tv_nsec)));
    };
    info.modified = time_of(status.stx_mtime);
    info.changed = time_of(status.stx_ctime);
    info.inode = status.stx_ino;
    return std::optional<FileInfo>(info);
  }

  std::optional<uint64_t> free_space(const std::string &path) override {
    struct statvfs status;
    // A mounted bucket may not know its size, and says 0 of 0.
    if (::statvfs(path.c_str(), &status) < 0 || status.f_blocks == 0) return std::nullopt;
    return uint64_t{status.f_bavail} * status.f_frsize;
  }

  Result<void> touch(const std::string &path) override {
    if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) < 0) return failure("touch", path);
    return {};
  }
};

}  // namespace

std::string destination_path(const std::string &given) {
  std::string path = given;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::string folder = GStringPtr(g_path_get_dirname(path.c_str())).get();
  std::string rest = GStringPtr(g_path_get_basename(path.c_str())).get();
  std::unique_ptr<char, decltype(&::free)> real(::realpath(folder.c_str(), nullptr), ::free);
  // "/" and "." are always there.
  while (!real && folder != "/" && folder != ".") {
    rest = std::string(GStringPtr(g_path_get_basename(folder.c_str())).get()) + "/" + rest;
    folder = GStringPtr(g_path_get_dirname(folder.c_str())).get();
    real.reset(::realpath(folder.c_str(), nullptr));
  }
  return GStringPtr(g_canonicalize_filename(rest.c_str(), real.get())).get();
}

std::string resolved_path(const std::string &path, std::string_view last_folder) {
  constexpr int kMostLinks = 40;  // As Linux has it.
  if (path.ends_with('/')) return path;
  std::string place = destination_path(path);
  for (int links = 0; links < kMostLinks; ++links) {
    if (!last_folder.empty() && place.starts_with(last_folder)) break;
    const GStringPtr target(g_file_read_link(place.c_str(), nullptr));
    if (!target) break;
    place = destination_path(g_path_is_absolute(target.get()) ? target.get()
                                                              : folder_of(place) + "/" + target.get());
  }
  return place;
}

bool means_no_room(int error_number) { return meaning_of(error_number).kind == ErrorKind::no_space_left; }

FileSystem &FileSystem::posix() {
  static auto &files = *new PosixFileSystem;  // Never destroyed: threads may outlive main().
  return files;
}

}  // namespace genclip
