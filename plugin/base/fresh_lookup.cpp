// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/fresh_lookup.h"

#include <unistd.h>

namespace genclip {

int fresh_status(int descriptor, const char *path, int flags, struct statx &status) {
  return ::statx(descriptor, path, flags | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &status);
}

void refresh_folder(std::string folder) {
  struct statx status;
  while (fresh_status(AT_FDCWD, folder.c_str(), 0, status) < 0 && errno == ENOENT &&
         folder != folder_of(folder))
    folder = folder_of(folder);
}

int open_fresh(const std::string &path, int flags, struct stat *status, mode_t mode) {
  refresh_folder(folder_of(path));
  return retry_when_stale([&] {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    struct stat ignored;
    if (descriptor < 0 || ::fstat(descriptor, status ? status : &ignored) == 0) return descriptor;
    const int code = errno;
    ::close(descriptor);
    errno = code;
    return -1;
  });
}

}  // namespace genclip
