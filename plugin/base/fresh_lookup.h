// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names that other machines change.
//
// Linux's NFS client remembers for 30 to 60 s (acdirmin, acdirmax) which file a name stands for, or that
// there is none. It answers from that even when it is told to ask the server (AT_STATX_FORCE_SYNC), and when
// the file is opened: a file that another machine has just made seems to be missing; of one that was
// replaced, the old one is opened as long as anybody has it open. It compares what it remembers of a folder's
// names with the server when the *folder* is asked.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "plugin/base/durable_file.h"

namespace genclip {

// As statx(2), and asks the server about the file; but which file that is may be remembered.
int fresh_status(int descriptor, const char *path, int flags, struct statx &status);

// Asks for the folder's status, so that its names are looked up anew from now on. If the folder seems to be
// missing, asks for the one above it, and so on.
void refresh_folder(std::string folder);

// Each further try means that another machine has replaced the file just then.
inline constexpr int kStaleTries = 10;

// Makes a system call that returns less than 0 when it fails, and makes it again while it says ESTALE.
template <typename Call>
int retry_when_stale(Call call) {
  int result = call();
  for (int tries = 1; result < 0 && errno == ESTALE && tries < kStaleTries; ++tries) result = call();
  return result;
}

// The same of a call about the name `path`, and once more with a refreshed folder if it finds no such file.
template <typename Call>
int look_again(const std::string &path, Call call) {
  const int result = retry_when_stale(call);
  if (result >= 0 || errno != ENOENT) return result;
  refresh_folder(folder_of(path));
  return retry_when_stale(call);
}

// As open(2), of the file that has this name now; and as fstat(2) of it. The umask applies to `mode`.
int open_fresh(const std::string &path, int flags, struct stat *status = nullptr, mode_t mode = 0600);

}  // namespace genclip
