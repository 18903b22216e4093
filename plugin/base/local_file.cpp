// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A descriptor with O_PATH stands for a file without opening it: neither a device nor a FIFO notices. What is
// found out about such a descriptor holds for the file that is opened through it (/proc/self/fd), whatever
// happens to the name between the check and the opening.
#include "plugin/base/local_file.h"

#include <fcntl.h>
#include <glib.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "plugin/base/fresh_lookup.h"
#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr size_t kReadAtOnce = 256 * 1024;

// Their files pretend to be regular, and reading some of them has an effect. Values of statfs(2).
constexpr unsigned long kKernelFileSystems[] = {
    PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEBUGFS_MAGIC,       TRACEFS_MAGIC, SECURITYFS_MAGIC, SELINUX_MAGIC,
    EFIVARFS_MAGIC,   CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,  PSTOREFS_MAGIC,
};

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

Error not_opened(int error) {
  const ErrorKind kind = error == ENOENT || error == ENOTDIR ? ErrorKind::not_found
                         : error == EAGAIN                   ? ErrorKind::busy
                                                             : ErrorKind::open_read;
  return {kind, std::string("cannot be opened: ") + g_strerror(error) + "."};
}

Error not_read(int error) {
  return {ErrorKind::read, std::string("cannot be read: ") + g_strerror(error) + "."};
}

Error changed() {
  return {ErrorKind::busy, "changed while it was read. Run again when the program that writes it is done."};
}

std::string link_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// The path that the kernel gives the open file now; empty when it has none.
std::string real_path(int descriptor) {
  char path[PATH_MAX];
  const ssize_t size = readlink(link_of(descriptor).c_str(), path, sizeof path);
  return size > 0 && size < static_cast<ssize_t>(sizeof path) ? std::string(path, static_cast<size_t>(size))
                                                              : std::string();
}

bool is_below(const std::string &path, const std::string &root) {
  if (!root.starts_with('/')) return false;
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(root.c_str(), nullptr), std::free);
  if (!resolved) return false;
  std::string folder = resolved.get();
  if (!folder.ends_with('/')) folder += '/';
  return path.starts_with(folder);
}

bool is_kernel_file(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 &&
         std::find(std::begin(kKernelFileSystems), std::end(kKernelFileSystems),
                   static_cast<unsigned long>(status.f_type)) != std::end(kKernelFileSystems);
}

// Nothing when the file may be opened and read.
Result<void> judge(int descriptor, const struct stat &status, const std::vector<std::string> *roots) {
  if (roots) {
    const std::string path = real_path(descriptor);
    if (std::none_of(roots->begin(), roots->end(),
                     [&](const std::string &root) { return is_below(path, root); }))
      return Error{ErrorKind::settings,
                   "is not below a folder that GENCLIP_PUBLISH_ROOTS lists; a URI may name no other files."};
  }
  if (S_ISDIR(status.st_mode)) return Error{ErrorKind::wrong_type, "is a folder."};
  if (!S_ISREG(status.st_mode) || is_kernel_file(descriptor))
    return Error{ErrorKind::wrong_type, "is not a regular file."};
  if (status.st_size == 0) return Error{ErrorKind::wrong_type, "is empty."};
  return {};
}

bool is_same(const timespec &a, const timespec &b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

bool is_unchanged(const struct stat &before, const struct stat &after) {
  return before.st_size == after.st_size && is_same(before.st_mtim, after.st_mtim) &&
         is_same(before.st_ctim, after.st_ctim);
}

}  // namespace

std::string absolute_path(const std::string &path, const std::string &folder) {
  if (path.empty() || g_path_is_absolute(path.c_str())) return path;
  const GStringPtr here(folder.empty() ? g_get_current_dir() : g_strdup(folder.c_str()));
  return GStringPtr(g_build_filename(here.get(), path.c_str(), nullptr)).get();
}

Result<LocalFile> LocalFile::open(const std::string &path, const std::vector<std::string> *roots) {
  // A system call would see only what comes before such a byte.
  if (path.find('\0') != std::string::npos) return not_opened(ENOENT);
  struct stat status;
  const Descriptor found(open_fresh(path, O_PATH, &status));
  if (found.get() < 0) return not_opened(errno);
  if (auto judged = judge(found.get(), status, roots); !judged) return std::move(judged).error();
  // Without O_NONBLOCK, this would wait for a process that holds a lease on the file.
  const int descriptor = ::open(link_of(found.get()).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return not_opened(errno);
  return LocalFile(descriptor);
}

Result<LocalFile> LocalFile::with_content(std::string_view bytes) {
  if (bytes.empty()) return Error{ErrorKind::wrong_type, "is empty."};
  LocalFile file(memfd_create("genclip", MFD_CLOEXEC));
  while (file.descriptor_ >= 0 && !bytes.empty()) {
    const ssize_t count = ::write(file.descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  if (!bytes.empty())
    return Error{ErrorKind::open_write, std::string("cannot be kept in memory: ") + g_strerror(errno) + "."};
  return file;
}

LocalFile::~LocalFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string LocalFile::location() const { return link_of(descriptor_); }

std::string LocalFile::uri() const { return "file://" + location(); }

Result<uint64_t> LocalFile::size() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) return not_read(errno);
  return static_cast<uint64_t>(status.st_size);
}

std::string LocalFile::read_at(uint64_t offset, size_t size) const {
  std::string bytes(size, '\0');
  const ssize_t count = pread(descriptor_, bytes.data(), size, static_cast<off_t>(offset));
  bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return bytes;
}

Result<uint64_t> LocalFile::read_all(const Take &take, GCancellable *cancellable) const {
  struct stat before;
  if (fstat(descriptor_, &before) != 0) return not_read(errno);
  std::vector<std::byte> buffer(kReadAtOnce);
  for (off_t offset = 0;;) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    const ssize_t count = pread(descriptor_, buffer.data(), buffer.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return not_read(errno);
    if (count == 0) break;
    offset += count;
    // A file that grows as fast as it is read would have no end.
    if (offset > before.st_size) return changed();
    if (auto taken = take(std::span(buffer).first(static_cast<size_t>(count))); !taken)
      return std::move(taken).error();
  }
  struct stat after;
  if (fstat(descriptor_, &after) != 0) return not_read(errno);
  if (!is_unchanged(before, after)) return changed();
  return static_cast<uint64_t>(after.st_size);
}

Result<std::string> LocalFile::sha256(GCancellable *cancellable) const {
  const std::unique_ptr<GChecksum, decltype(&g_checksum_free)> sum(g_checksum_new(G_CHECKSUM_SHA256),
                                                                   g_checksum_free);
  const auto add = [&](std::span<const std::byte> bytes) -> Result<void> {
    g_checksum_update(sum.get(), reinterpret_cast<const guchar *>(bytes.data()),
                      static_cast<gssize>(bytes.size()));
    return {};
  };
  if (const auto read = read_all(add, cancellable); !read) return read.error();
  return std::string(g_checksum_get_string(sum.get()));
}

}  // namespace genclip
