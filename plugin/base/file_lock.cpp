// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Uses fcntl's F_OFD_SETLK. Such a lock lives as long as any copy of its descriptor, and a fork copies all
// descriptors. So a list of them tells the child which ones to close.
#include "plugin/base/file_lock.h"

#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "plugin/base/durable_file.h"
#include "plugin/base/file_system.h"
#include "plugin/base/fresh_lookup.h"
#include "plugin/base/mutex.h"

namespace genclip {
namespace {

// Each further try means that the file was removed just then.
constexpr int kMaxTries = 100;
// Opening a pipe in its place would wait for the pipe's other end.
constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK;

struct LockDescriptors {
  Mutex mutex;
  std::set<int> open GUARDED_BY(mutex);
  unsigned forks GUARDED_BY(mutex) = 0;
};

LockDescriptors &lock_descriptors() {
  static auto &all = *new LockDescriptors;  // Never destroyed: threads may outlive main().
  return all;
}

// Keeps the list unchanged while the process forks.
void before_fork() NO_THREAD_SAFETY_ANALYSIS {
  lock_descriptors().mutex.lock();
  ++lock_descriptors().forks;
}
void after_fork() NO_THREAD_SAFETY_ANALYSIS { lock_descriptors().mutex.unlock(); }
void after_fork_in_child() NO_THREAD_SAFETY_ANALYSIS {
  for (const int descriptor : lock_descriptors().open) ::close(descriptor);
  lock_descriptors().open.clear();
  lock_descriptors().mutex.unlock();
}

unsigned forks_so_far() {
  static const int watched = ::pthread_atfork(before_fork, after_fork, after_fork_in_child);
  static_cast<void>(watched);
  MutexLock lock(lock_descriptors().mutex);
  return lock_descriptors().forks;
}

bool is_listed(int descriptor) {
  MutexLock lock(lock_descriptors().mutex);
  return lock_descriptors().open.contains(descriptor);
}

ErrorKind kind_of(int code) {
  if (code == ENOENT) return ErrorKind::not_found;
  return means_no_room(code) ? ErrorKind::no_space_left : ErrorKind::open_write;
}

// Never waits. Locks again what is locked already.
int set_lock(int descriptor, short type) {
  struct flock whole = {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &whole);
}

bool means_busy(int code) { return code == EAGAIN || code == EACCES; }

int open_lock_file(const std::string &path, FileLock::Kind kind, mode_t mode) {
  const int descriptor = open_fresh(path, O_RDWR | O_CREAT | kFlags, nullptr, mode);
  const int code = errno;
  if (descriptor >= 0 || kind != FileLock::Kind::shared || (code != EACCES && code != EROFS))
    return descriptor;
  // A reader may read a store that it must not write.
  const int read_only = open_fresh(path, O_RDONLY | kFlags);
  if (read_only < 0) errno = code;
  return read_only;
}

// The file that has this name now. An errno, or 0. Another machine may have renamed the folder and made a new
// one in its place. Opens the file, because some shared file systems look it up again only then.
int look_up(const std::string &path, struct stat &there) {
  refresh_folder(folder_of(folder_of(path)));
  const int named = open_fresh(path, O_RDONLY | kFlags, &there);
  if (named < 0) return errno;
  ::close(named);
  return 0;
}

bool is_same_file(const struct stat &held, const struct stat &there) {
  return there.st_dev == held.st_dev && there.st_ino == held.st_ino;
}

// 0: the open file has this name. ESTALE: another one has it. Otherwise the errno of the look-up.
int compare(int descriptor, const std::string &path) {
  struct stat held, there;
  if (::fstat(descriptor, &held) < 0) return errno;
  const int code = look_up(path, there);
  if (code != 0) return code == EACCES ? 0 : code;
  return is_same_file(held, there) ? 0 : ESTALE;
}

Error no_lock_file(const std::string &path, int code) {
  const bool lacks_descriptors = code == EMFILE || code == ENFILE;
  return {kind_of(code),
          "Could not open " + path + ": " + g_strerror(code) +
              (lacks_descriptors ? ". Raise the limit of open files (ulimit -n)."
                                 : ". Check the permissions of its folder, or choose another folder.")};
}

}  // namespace

Result<std::optional<FileLock>> FileLock::try_lock(const std::string &path, Kind kind, mode_t mode) {
  int last = 0;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const unsigned forks = forks_so_far();
    const int descriptor = open_lock_file(path, kind, mode);
    if (descriptor < 0) return no_lock_file(path, errno);
    auto lock = keep(descriptor, forks);
    if (!lock) continue;
    if (set_lock(descriptor, kind == Kind::shared ? F_RDLCK : F_WRLCK) < 0) {
      const int code = errno;
      if (means_busy(code)) return std::optional<FileLock>();
      return Error{ErrorKind::open_write, "Could not lock " + path + ": " + g_strerror(code) +
                                              ". The store needs a file system that supports locks."};
    }
    last = compare(descriptor, path);
    if (last == 0) return lock;
  }
  if (last != 0 && last != ESTALE && last != ENOENT) return no_lock_file(path, last);
  return Error{
      ErrorKind::open_write,
      path +
          " is a different file each time it is opened. The store needs a file system that supports locks."};
}

bool FileLock::renew() const { return set_lock(descriptor_, F_WRLCK) == 0 || !means_busy(errno); }

bool FileLock::is_of(const std::string &path) const { return compare(descriptor_, path) == 0; }

bool FileLock::is_replaced(const std::string &path) const {
  struct stat held, there;
  const int code = look_up(path, there);
  if (code != 0) return code == ENOENT;
  // A server does not know a file any more that was removed there.
  if (::fstat(descriptor_, &held) < 0) return errno == ESTALE;
  return !is_same_file(held, there);
}

std::optional<FileLock> FileLock::keep(int descriptor, unsigned forks) {
  {
    LockDescriptors &all = lock_descriptors();
    MutexLock lock(all.mutex);
    if (all.forks == forks) {
      all.open.insert(descriptor);
      return FileLock(descriptor);
    }
  }
  ::close(descriptor);
  return std::nullopt;
}

FileLock::~FileLock() {
  if (descriptor_ < 0 || !is_listed(descriptor_)) return;  // A forked child has closed it.
  // Unlocked before it leaves the list: a fork at this moment then has a copy without a lock.
  static_cast<void>(set_lock(descriptor_, F_UNLCK));
  {
    MutexLock lock(lock_descriptors().mutex);
    lock_descriptors().open.erase(descriptor_);
  }
  ::close(descriptor_);
}

size_t most_locks() {
  constexpr rlim_t kMost = 400, kPart = 3;
  rlimit descriptors{};
  return getrlimit(RLIMIT_NOFILE, &descriptors) == 0 ? std::min(descriptors.rlim_cur / kPart, kMost) : kMost;
}

}  // namespace genclip
