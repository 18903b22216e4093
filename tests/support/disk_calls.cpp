// SPDX-License-Identifier: LGPL-2.1-or-later
//
// These functions have the names of the C library's. The dynamic linker looks for a name in the program
// first, then in what LD_PRELOAD names, then in the libraries: so the program, its plugins and its libraries
// all call these here, and these find the C library's as the next ones of that name. Nothing in the tested
// code knows of it, which is why it is done so, and not by a FileSystem that is handed in.
#include "tests/support/disk_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace genclip::test {
namespace {

std::atomic<DiskHook> current_hook = nullptr;

// The path that a call uses.
class Asked {
 public:
  Asked(FileCall call, const char *path, int flags = 0) : given_(path), used_(path ? path : "") {
    const DiskHook hook = current_hook;
    if (hook && path) code_ = hook(call, used_, flags);
    is_other_ = path && used_ != path;
  }

  bool fails() const {
    if (code_ != 0) errno = code_;
    return code_ != 0;
  }
  const char *path() const { return is_other_ ? used_.c_str() : given_; }
  // A link to an open file, which must be followed to get there.
  bool is_link() const {
    return is_other_ && used_.starts_with(kDescriptors) && used_.rfind('/') < sizeof kDescriptors;
  }

 private:
  static constexpr char kDescriptors[] = "/proc/self/fd/";

  const char *const given_;
  std::string used_;
  int code_ = 0;
  bool is_other_ = false;
};

bool fails(FileCall call, int descriptor) {
  if (!current_hook) return false;
  std::array<char, 4096> path{};
  const ssize_t size =
      ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path.data(), path.size() - 1);
  return size > 0 && Asked(call, path.data()).fails();
}

template <typename Function>
Function *next(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void set_disk_hook(DiskHook hook) { current_hook = hook; }

static bool has_hook() { return current_hook != nullptr; }

}  // namespace genclip::test

using genclip::test::Asked;
using genclip::test::fails;
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
  const Asked file(FileCall::open, path, flags);
  if (file.fails()) return -1;
  if ((flags & O_CREAT) && access(file.path(), F_OK) != 0 && Asked(FileCall::make, path, flags).fails())
    return -1;
  return NEXT(open)(file.path(), file.is_link() ? flags & ~O_NOFOLLOW : flags, mode);
}

// A descriptor that cannot be closed has no meaning: it is closed whatever the hook says.
int close(int descriptor) {
  static_cast<void>(fails(FileCall::close, descriptor));
  return NEXT_PLAIN(close)(descriptor);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return fails(FileCall::read, descriptor) ? -1 : NEXT(pread)(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return fails(FileCall::write, descriptor) ? -1 : NEXT(pwrite)(descriptor, bytes, count, offset);
}

int fsync(int descriptor) { return fails(FileCall::sync, descriptor) ? -1 : NEXT_PLAIN(fsync)(descriptor); }

int ftruncate(int descriptor, off_t size) noexcept {
  return fails(FileCall::truncate, descriptor) ? -1 : NEXT(ftruncate)(descriptor, size);
}

int fstat(int descriptor, struct stat *status) noexcept {
  return fails(FileCall::info, descriptor) ? -1 : NEXT(fstat)(descriptor, status);
}

// A disk with a hook may hang or fail, which memory does not.
int fstatfs(int descriptor, struct statfs *status) noexcept {
  const int result = NEXT(fstatfs)(descriptor, status);
  if (genclip::test::has_hook()) status->f_type = 0;
  return result;
}

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status) noexcept {
  if (!*path)  // AT_EMPTY_PATH
    return fails(FileCall::info, folder) ? -1 : NEXT_PLAIN(statx)(folder, path, flags, mask, status);
  const Asked info(FileCall::info, path, flags);
  if (info.fails()) return -1;
  return NEXT_PLAIN(statx)(folder, info.path(), info.is_link() ? flags & ~AT_SYMLINK_NOFOLLOW : flags, mask,
                           status);
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) noexcept {
  const Asked touch(FileCall::touch, path);
  return touch.fails() ? -1 : NEXT_PLAIN(utimensat)(folder, touch.path(), times, flags);
}

int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (command == F_OFD_SETLK && fails(FileCall::lock, descriptor)) return -1;
  return NEXT(fcntl)(descriptor, command, argument);
}

int rename(const char *from, const char *to) noexcept {
  const Asked source(FileCall::rename, from);
  if (source.fails()) return -1;
  const Asked target(FileCall::replace, to);
  return target.fails() ? -1 : NEXT_PLAIN(rename)(source.path(), target.path());
}

int remove(const char *path) noexcept {
  const Asked removal(FileCall::remove, path);
  return removal.fails() ? -1 : NEXT_PLAIN(remove)(removal.path());
}

int mkdir(const char *path, mode_t mode) noexcept {
  const Asked folder(FileCall::make_folder, path);
  return folder.fails() ? -1 : NEXT_PLAIN(mkdir)(folder.path(), mode);
}

DIR *opendir(const char *path) {
  const Asked list(FileCall::list, path);
  return list.fails() ? nullptr : NEXT_PLAIN(opendir)(list.path());
}

}  // extern "C"
