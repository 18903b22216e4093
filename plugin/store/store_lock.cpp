// SPDX-License-Identifier: LGPL-2.1-or-later
//
// fcntl's F_OFD_SETLK.
#include "plugin/store/store_lock.h"

#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

#include <cerrno>

namespace genclip {

Result<std::optional<StoreLock>> StoreLock::try_lock(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0)
    return Error{errno == ENOSPC ? ErrorKind::no_space_left : ErrorKind::open_write,
                 "Could not open " + path + ": " + g_strerror(errno) +
                     ". Check the store's permissions, or choose another folder with the property store."};
  StoreLock lock(descriptor);
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return std::optional<StoreLock>(std::move(lock));
  if (errno == EAGAIN || errno == EACCES) return std::optional<StoreLock>();
  return Error{ErrorKind::open_write, "Could not lock " + path + ": " + g_strerror(errno) +
                                          ". The store needs a file system with locks."};
}

StoreLock::~StoreLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace genclip
