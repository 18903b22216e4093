// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Opens a file that a person or a stranger named, reads only what is safe to read, and names its content.
#pragma once

#include <gio/gio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

// An absolute path stays as it is, and an empty one empty; another is of `folder` (empty: of the current
// one). An application may change its current folder, so what is opened later is named by this. Not
// normalised: only the system knows where ".." behind a link leads.
std::string absolute_path(const std::string &path, const std::string &folder = {});

// A regular file that is not empty, held open: replacing its name does not change what is read. All errors
// continue a sentence that begins with the file's name. Any thread.
class LocalFile {
 public:
  // `roots`: only a file below one of these folders, with all symbolic links resolved; null: any file. Never
  // opens a device, a FIFO or a file of the kernel, and never waits for one.
  static Result<LocalFile> open(const std::string &path, const std::vector<std::string> *roots);
  // A file without a name, in memory.
  static Result<LocalFile> with_content(std::string_view bytes);

  ~LocalFile();
  LocalFile(LocalFile &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LocalFile &operator=(LocalFile &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  // A path and a URI under which this process can open it again.
  std::string location() const;
  std::string uri() const;

  Result<uint64_t> size() const;
  // Returns fewer bytes at the end, and where the file cannot be read.
  std::string read_at(uint64_t offset, size_t size) const;

  // Gives the whole content to `take`, in order, and returns its size. An error when the file changes
  // meanwhile (ErrorKind::busy), when it cannot be read, when `take` returns one, or when it is cancelled.
  using Take = std::function<Result<void>(std::span<const std::byte>)>;
  Result<uint64_t> read_all(const Take &take, GCancellable *cancellable) const;
  // Of the whole content, in hexadecimal; errors as read_all().
  Result<std::string> sha256(GCancellable *cancellable) const;

 private:
  explicit LocalFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace genclip
