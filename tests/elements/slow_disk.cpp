// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A program's symbols come before the C library's, for its plugins and libraries too.
#include "tests/elements/slow_disk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <optional>
#include <thread>

#include "plugin/base/mutex.h"

namespace genclip::test {
namespace {

// Far longer than any bound of a test.
constexpr auto kLongestHang = std::chrono::seconds(20);

struct State {
  Mutex mutex;
  CondVar changed;
  std::string folder GUARDED_BY(mutex);
  std::chrono::milliseconds delay GUARDED_BY(mutex){0};
  std::optional<size_t> calls_before_it_hangs GUARDED_BY(mutex);
  std::thread::id owner GUARDED_BY(mutex);
  size_t waiting GUARDED_BY(mutex) = 0;
  size_t calls_of_owner GUARDED_BY(mutex) = 0;
  bool gave_up GUARDED_BY(mutex) = false;
  unsigned life GUARDED_BY(mutex) = 0;
};

State &state() {
  static auto &state = *new State;  // Never destroyed: threads may outlive main().
  return state;
}

// So that the many calls of tests without a slow disk cost nothing.
std::atomic<bool> is_slow = false;

void meet(const std::string &path) {
  State &all = state();
  MutexLock lock(all.mutex);
  if (all.folder.empty() || !path.starts_with(all.folder)) return;
  if (std::this_thread::get_id() == all.owner) ++all.calls_of_owner;
  const unsigned life = all.life;
  auto end = std::chrono::steady_clock::now() + all.delay;
  bool hangs = false;
  if (all.calls_before_it_hangs) {
    hangs = *all.calls_before_it_hangs == 0;
    if (!hangs) {
      --*all.calls_before_it_hangs;
      return;
    }
    end = std::chrono::steady_clock::now() + kLongestHang;
  }
  ++all.waiting;
  while (all.life == life && all.changed.wait_until(lock, end)) {
  }
  if (all.life != life) return;
  --all.waiting;
  all.gave_up = all.gave_up || hangs;
}

void note(const char *path) {
  if (is_slow && path) meet(path);
}

void note(int descriptor) {
  if (!is_slow) return;
  std::array<char, 4096> path;
  const ssize_t size =
      ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path.data(), path.size() - 1);
  if (size > 0) meet(std::string(path.data(), static_cast<size_t>(size)));
}

void begin(const std::string &folder, std::chrono::milliseconds delay, std::optional<size_t> calls) {
  State &all = state();
  MutexLock lock(all.mutex);
  all.folder = folder;
  all.delay = delay;
  all.calls_before_it_hangs = calls;
  all.owner = std::this_thread::get_id();
  all.waiting = all.calls_of_owner = 0;
  all.gave_up = false;
  ++all.life;
  is_slow = true;
}

template <typename Function>
Function *next_call(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

SlowDisk::SlowDisk(const std::string &folder, std::chrono::milliseconds delay) {
  begin(folder, delay, std::nullopt);
}

SlowDisk::SlowDisk(const std::string &folder, size_t calls_before_it_hangs) {
  begin(folder, {}, calls_before_it_hangs);
}

SlowDisk::~SlowDisk() {
  State &all = state();
  MutexLock lock(all.mutex);
  is_slow = false;
  all.folder.clear();
  ++all.life;
  all.changed.notify_all();
}

bool SlowDisk::is_waited_for() const {
  MutexLock lock(state().mutex);
  return state().waiting > 0;
}

size_t SlowDisk::calls_of_this_thread() const {
  MutexLock lock(state().mutex);
  return state().calls_of_owner;
}

bool SlowDisk::gave_up() const {
  MutexLock lock(state().mutex);
  return state().gave_up;
}

}  // namespace genclip::test

using genclip::test::note;

// The one that is declared here is the C library's of 64-bit offsets, by whichever name.
#define NEXT(function)                                                             \
  ([] {                                                                            \
    static const auto known = genclip::test::next_call(&function, #function "64"); \
    return known;                                                                  \
  }())
#define NEXT_PLAIN(function)                                                  \
  ([] {                                                                       \
    static const auto known = genclip::test::next_call(&function, #function); \
    return known;                                                             \
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
  note(path);
  return NEXT(open)(path, flags, mode);
}

int close(int descriptor) {
  note(descriptor);
  return NEXT_PLAIN(close)(descriptor);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  note(descriptor);
  return NEXT(pread)(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  note(descriptor);
  return NEXT(pwrite)(descriptor, bytes, count, offset);
}

int fstat(int descriptor, struct stat *status) noexcept {
  note(descriptor);
  return NEXT(fstat)(descriptor, status);
}

int lstat(const char *path, struct stat *status) noexcept {
  note(path);
  return NEXT(lstat)(path, status);
}

int fsync(int descriptor) {
  note(descriptor);
  return NEXT_PLAIN(fsync)(descriptor);
}

int rename(const char *from, const char *to) noexcept {
  note(from);
  return NEXT_PLAIN(rename)(from, to);
}

int remove(const char *path) noexcept {
  note(path);
  return NEXT_PLAIN(remove)(path);
}

int mkdir(const char *path, mode_t mode) noexcept {
  note(path);
  return NEXT_PLAIN(mkdir)(path, mode);
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) noexcept {
  note(path);
  return NEXT_PLAIN(utimensat)(folder, path, times, flags);
}

DIR *opendir(const char *path) {
  note(path);
  return NEXT_PLAIN(opendir)(path);
}

int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (command == F_OFD_SETLK) note(descriptor);
  return NEXT(fcntl)(descriptor, command, argument);
}

}  // extern "C"
