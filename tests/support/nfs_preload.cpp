// SPDX-License-Identifier: LGPL-2.1-or-later
//
// For LD_PRELOAD: two machines that share folders by NFS, in one process. Below a folder "machine-1" or
// "machine-2" (TemporaryFolder makes both, as links to one folder), names are remembered as Linux's NFS
// client remembers them, by each machine for itself:
//
// - that there is no such file, and which file a name stands for, until the folder is asked (statx with
//   AT_STATX_FORCE_SYNC, open, opendir): a real client asks by itself after 30 to 60 s, this one never;
// - of a folder that was renamed, with another one in its place, still the renamed one;
// - a file that was replaced is the old one: a real client finds the new one, unless somebody has the old one
//   open. When the folder was asked, and the new one is opened for the first time, it may be replaced once
//   more in that moment: the first or the second query of its status says ESTALE.
//
// All accesses but the hooked ones, such as those of a test by std::fstream, are the server's. Sizes,
// contents and locks are the real file system's.
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/disk_calls.h"

#ifndef SYS_newfstatat  // 32 bits have another name for it.
#define SYS_newfstatat SYS_fstatat64
#endif

namespace genclip::test {
namespace {

// Of the environment: set to anything, if there is such a model.
constexpr char kSetting[] = "GENCLIP_TEST_NFS";
// The folder of a machine.
size_t machine_in(const std::string &path) {
  for (const char *name : {"/machine-1", "/machine-2"})
    if (const size_t at = (path + "/").rfind(std::string(name) + "/"); at != path.npos) return at;
  return path.npos;
}

// More names are forgotten, as under pressure of memory: each holds a descriptor.
constexpr size_t kMostNames = 400;

// By system calls: the C library's functions lead back to here.
int open_path(const std::string &path) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}
void close_path(int descriptor) { syscall(SYS_close, descriptor); }
struct stat status_of(int descriptor) {
  struct stat status = {};
  if (syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH) != 0) abort();
  return status;
}

std::string link_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }
std::string parent_of(const std::string &path) { return path.substr(0, path.rfind('/')); }
std::string last_of(const std::string &path) { return path.substr(path.rfind('/')); }

// What a machine remembers of a name: the file is kept in existence by a descriptor.
struct Name {
  int descriptor = -1;  // -1: there is none, for the reason `code`.
  int code = 0;
  bool is_checked = true;  // False: the folder was asked since.
  bool is_new = false;     // Another file had the name.
};

bool is_same(const Name &name, int descriptor) {
  if (name.descriptor < 0 || descriptor < 0) return name.descriptor < 0 && descriptor < 0;
  const struct stat one = status_of(name.descriptor), other = status_of(descriptor);
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Of the open() before, whose file was replaced: how many queries of its status are answered, before one is
// not.
thread_local std::optional<int> left_before_it_is_gone;

bool is_gone() {
  if (!left_before_it_is_gone || (*left_before_it_is_gone)-- > 0) return false;
  left_before_it_is_gone.reset();
  return true;
}

class Model {
 public:
  // As a DiskHook.
  int meet(FileCall call, std::string &path, int flags) {
    const std::lock_guard lock(mutex_);
    remember_what_was_changed();
    const size_t machine = machine_in(path);
    if (machine == path.npos) return call == FileCall::info && is_gone() ? ESTALE : 0;
    const size_t mount = path.find('/', machine + 1);
    const bool is_itself = path.ends_with("/.");
    if (mount == path.npos || (is_itself && mount + 2 == path.size())) {
      if (asks(call, flags)) ask(path.substr(0, mount));
      return 0;
    }
    if (is_itself) path.resize(path.size() - 2);
    switch (call) {
      case FileCall::open:
      case FileCall::list:
      case FileCall::info:
      case FileCall::touch: return look_up(call, path, mount, flags);
      case FileCall::rename:
      case FileCall::remove:
        if (const Name *name = known(path, mount); !name || name->descriptor < 0)
          return name ? name->code : ENOENT;
        return change(path, mount);
      case FileCall::replace:
      case FileCall::make_folder: return change(path, mount);
      default: return 0;
    }
  }

  std::mutex &mutex() { return mutex_; }

 private:
  // Of a name, as the machine sees it; nothing when it sees none.
  std::optional<std::string> folder_of_name(const std::string &path, size_t mount) {
    const std::string folder = parent_of(path);
    if (folder.size() <= mount) return folder;
    const Name *name = known(folder, mount);
    if (!name || name->descriptor < 0) return std::nullopt;
    // Where a link leads, nothing is remembered.
    if (S_ISLNK(status_of(name->descriptor).st_mode)) return *folder_of_name(folder, mount) + last_of(folder);
    return link_of(name->descriptor);
  }

  static bool asks(FileCall call, int flags) {
    return call == FileCall::list || call == FileCall::open ||
           (call == FileCall::info && (flags & AT_STATX_FORCE_SYNC) != 0);
  }

  // Null when there is no folder.
  Name *known(const std::string &path, size_t mount) {
    const auto folder = folder_of_name(path, mount);
    if (!folder) return nullptr;
    const auto found = names_.find(path);
    if (found != names_.end() && found->second.is_checked) return &found->second;
    const int descriptor = open_path(*folder + last_of(path));
    Name now{descriptor, descriptor < 0 ? errno : 0};
    if (found == names_.end()) return &(names_[path] = now);
    if (is_same(found->second, descriptor)) {
      if (descriptor >= 0) close_path(descriptor);
      found->second.is_checked = true;
      return &found->second;
    }
    now.is_new = found->second.descriptor >= 0 && descriptor >= 0;
    forget(path);
    return &(names_[path] = now);
  }

  int look_up(FileCall call, std::string &path, size_t mount, int flags) {
    Name *name = known(path, mount);
    if (!name) return ENOENT;
    if (name->descriptor < 0) {
      // Whether a file is to be made is the server's to say.
      const bool makes = call == FileCall::open && (flags & O_CREAT) != 0;
      return makes && name->code == ENOENT ? change(path, mount) : name->code;
    }
    const mode_t mode = status_of(name->descriptor).st_mode;
    if (call == FileCall::open) left_before_it_is_gone.reset();
    if (call == FileCall::open && S_ISREG(mode) && std::exchange(name->is_new, false))
      left_before_it_is_gone = replaced_++ % 2;
    if (S_ISDIR(mode) && asks(call, flags)) ask(path);
    path = S_ISLNK(mode) ? *folder_of_name(path, mount) + last_of(path) : link_of(name->descriptor);
    return 0;
  }

  // The call is made on the server. The machine remembers what comes of it, once it has been made.
  int change(std::string &path, size_t mount) {
    const auto folder = folder_of_name(path, mount);
    if (!folder) return ENOENT;
    forget(path);
    changed_.emplace_back(path, mount);
    path = *folder + last_of(path);
    return 0;
  }

  void remember_what_was_changed() {
    if (names_.size() > kMostNames) forget("");
    for (const auto &[path, mount] : std::exchange(changed_, {})) known(path, mount);
  }

  void ask(const std::string &folder) {
    const std::string below = folder + "/";
    for (auto name = names_.lower_bound(below); name != names_.end() && name->first.starts_with(below);
         ++name)
      if (name->first.find('/', below.size()) == std::string::npos) name->second.is_checked = false;
  }

  // The name, and all below it.
  void forget(const std::string &path) {
    for (auto name = names_.lower_bound(path); name != names_.end() && name->first.starts_with(path);) {
      const bool is_its =
          path.empty() || name->first.size() == path.size() || name->first[path.size()] == '/';
      if (is_its && name->second.descriptor >= 0) close_path(name->second.descriptor);
      name = is_its ? names_.erase(name) : std::next(name);
    }
  }

  std::mutex mutex_;
  std::map<std::string, Name> names_;
  std::vector<std::pair<std::string, size_t>> changed_;
  int replaced_ = 0;  // How many were opened.
};

Model &model() {
  static auto &model = *new Model;  // Never destroyed: threads may outlive main().
  return model;
}

int meet(FileCall call, std::string &path, int flags) { return model().meet(call, path, flags); }

// A fork has no thread that would unlock it.
void lock() { model().mutex().lock(); }
void unlock() { model().mutex().unlock(); }

[[gnu::constructor]] void begin() {
  if (!getenv(kSetting)) return;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  pthread_atfork(lock, unlock, unlock);
  set_disk_hook(meet);
}

}  // namespace
}  // namespace genclip::test
