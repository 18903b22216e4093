// SPDX-License-Identifier: LGPL-2.1-or-later
//
// fcntl's F_OFD_SETLK.
#include "plugin/store/store_lock.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "plugin/base/file_system.h"

namespace genclip {
namespace {

// Each one more takes somebody who removed the file just then.
constexpr int kMaxTries = 100;
// A pipe that somebody has put there would be waited for.
constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

ErrorKind kind_of(int code) {
  if (code == ENOENT) return ErrorKind::not_found;
  return means_no_room(code) ? ErrorKind::no_space_left : ErrorKind::open_write;
}

int open_lock_file(const std::string &path, StoreLock::Kind kind) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0600);
  const int code = errno;
  if (descriptor >= 0 || kind != StoreLock::Kind::shared || (code != EACCES && code != EROFS))
    return descriptor;
  // Who only reads clips may do so in a store that is not theirs to write.
  const int read_only = ::open(path.c_str(), O_RDONLY | kFlags);
  if (read_only < 0) errno = code;
  return read_only;
}

}  // namespace

Result<std::optional<StoreLock>> StoreLock::try_lock(const std::string &path, Kind kind) {
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const int descriptor = open_lock_file(path, kind);
    if (descriptor < 0) {
      const int code = errno;
      return Error{kind_of(code),
                   "Could not open " + path + ": " + g_strerror(code) +
                       ". Check the store's permissions, or choose another folder with the property store."};
    }
    StoreLock lock(descriptor);
    struct flock whole = {};
    whole.l_type = kind == Kind::shared ? F_RDLCK : F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(descriptor, F_OFD_SETLK, &whole) < 0) {
      const int code = errno;
      if (code == EAGAIN || code == EACCES) return std::optional<StoreLock>();
      return Error{ErrorKind::open_write, "Could not lock " + path + ": " + g_strerror(code) +
                                              ". The store needs a file system with locks."};
    }
    if (lock.is_of(path)) return std::optional<StoreLock>(std::move(lock));
  }
  return Error{ErrorKind::open_write,
               path + " is another file each time it is opened. The store needs a file system with locks."};
}

bool StoreLock::is_of(const std::string &path) const {
  struct stat held;
  if (::fstat(descriptor_, &held) < 0) return false;
  // By opening it: a shared file system looks anew at what is opened, not at what is only named.
  const int named = ::open(path.c_str(), O_RDONLY | kFlags);
  if (named < 0) return errno == EACCES;
  struct stat there;
  const bool same = ::fstat(named, &there) == 0 && there.st_dev == held.st_dev && there.st_ino == held.st_ino;
  ::close(named);
  return same;
}

StoreLock::~StoreLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace genclip
