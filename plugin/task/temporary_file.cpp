// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Unlinks the file as soon as it is made; /proc still gives it a path.
#include "plugin/task/temporary_file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "plugin/base/file_system.h"
#include "plugin/base/gref.h"

namespace genclip {
namespace {

Error failure(const std::string &what, int error) {
  return {means_no_room(error) ? ErrorKind::no_space_left : ErrorKind::open_write,
          what + " in " + g_get_tmp_dir() + ": " + g_strerror(error) +
              ". Set TMPDIR to a folder with free space."};
}

}  // namespace

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

TemporaryFile::TemporaryFile(TemporaryFile &&other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

TemporaryFile &TemporaryFile::operator=(TemporaryFile &&other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Result<TemporaryFile> TemporaryFile::create() {
  const GStringPtr path(g_build_filename(g_get_tmp_dir(), "genclip-XXXXXX", nullptr));
  const int descriptor = g_mkstemp_full(path.get(), O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return failure("a temporary file cannot be made", errno);
  unlink(path.get());
  return TemporaryFile(descriptor);
}

Result<void> TemporaryFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("a temporary file cannot be written", errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return {};
}

std::string TemporaryFile::read_at(uint64_t offset, size_t size) const {
  std::string bytes(size, '\0');
  const ssize_t count = pread(descriptor_, bytes.data(), size, static_cast<off_t>(offset));
  bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return bytes;
}

std::string TemporaryFile::uri() const { return "file:///proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace genclip
