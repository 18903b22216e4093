// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A program's symbols come before the C library's, for its plugins and libraries too.
#include "tests/faults/broken_disk.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <vector>

#include "plugin/base/mutex.h"

namespace genclip::test {
namespace {

struct Disk {
  Mutex mutex;
  std::map<std::string, std::vector<DiskFault>> faults GUARDED_BY(mutex);
};

Disk &disk() {
  static auto &disk = *new Disk;  // Never destroyed: threads may outlive main().
  return disk;
}

// So that the many calls of tests without faults cost nothing.
std::atomic<bool> is_broken = false;

// errno of the fault that this call meets; 0: none.
int meet(FileCall call, const std::string &path) {
  const auto slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  MutexLock lock(disk().mutex);
  for (auto &[folder, faults] : disk().faults) {
    if (!path.starts_with(folder)) continue;
    for (DiskFault &fault : faults) {
      if (fault.call != call || fault.code == 0 || !(fault.name.empty() || fault.name == name)) continue;
      if (fault.after > 0) {
        --fault.after;
        continue;
      }
      const int code = fault.code;
      if (fault.times > 0 && --fault.times == 0) fault.code = 0;
      return code;
    }
  }
  return 0;
}

bool fails(FileCall call, const char *path) {
  if (!is_broken) return false;
  const int code = meet(call, path);
  if (code != 0) errno = code;
  return code != 0;
}

bool fails(FileCall call, int descriptor) {
  if (!is_broken) return false;
  std::array<char, 4096> path;
  const ssize_t size =
      ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path.data(), path.size() - 1);
  if (size <= 0) return false;
  path.at(static_cast<size_t>(size)) = '\0';
  return fails(call, path.data());
}

template <typename Function>
Function *next(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void break_disk(const std::string &folder, DiskFault fault) {
  MutexLock lock(disk().mutex);
  disk().faults[folder].push_back(std::move(fault));
  is_broken = true;
}

void mend_disk(const std::string &folder) {
  MutexLock lock(disk().mutex);
  disk().faults.erase(folder);
}

}  // namespace genclip::test

using genclip::test::FileCall;

// The one that is declared here is the C library's of 64-bit offsets, by whichever name.
#define NEXT(function)                                                        \
  ([] {                                                                       \
    static const auto known = genclip::test::next(&function, #function "64"); \
    return known;                                                             \
  }())
#define NEXT_PLAIN(function)                                             \
  ([] {                                                                  \
    static const auto known = genclip::test::next(&function, #function); \
    return known;                                                        \
  }())

extern "C" {

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (genclip::test::fails(FileCall::open, path)) return -1;
  if ((flags & O_CREAT) && access(path, F_OK) != 0 && genclip::test::fails(FileCall::make, path)) return -1;
  return NEXT(open)(path, flags, mode);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return genclip::test::fails(FileCall::write, descriptor) ? -1
                                                           : NEXT(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return genclip::test::fails(FileCall::read, descriptor) ? -1
                                                          : NEXT(pread)(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
  return genclip::test::fails(FileCall::sync, descriptor) ? -1 : NEXT_PLAIN(fsync)(descriptor);
}

int ftruncate(int descriptor, off_t size) noexcept {
  return genclip::test::fails(FileCall::truncate, descriptor) ? -1 : NEXT(ftruncate)(descriptor, size);
}

int rename(const char *from, const char *to) noexcept {
  return genclip::test::fails(FileCall::rename, from) ? -1 : NEXT_PLAIN(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) noexcept {
  return genclip::test::fails(FileCall::make_folder, path) ? -1 : NEXT_PLAIN(mkdir)(path, mode);
}

int remove(const char *path) noexcept {
  return genclip::test::fails(FileCall::remove, path) ? -1 : NEXT_PLAIN(remove)(path);
}

int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (command == F_OFD_SETLK && genclip::test::fails(FileCall::lock, descriptor)) return -1;
  return NEXT(fcntl)(descriptor, command, argument);
}

}  // extern "C"
