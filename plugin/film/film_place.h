// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where a file with captions is written. It is taken before anything is asked, because two runs that write
// the same file would both pay for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "plugin/base/file_lock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/result.h"

namespace genclip {

// The file that a chain of symbolic links leads to, whether it is there or not. `path` itself where it is not
// a link.
std::string without_links(const std::string &path);

// Holds the lock of "PATH.part" from take() until it is destroyed, which removes that file; one that a killed
// run has left behind is taken over.
class FilmPlace {
 public:
  // `path` may be a link: what it leads to is replaced. ErrorKind::busy while another process has it.
  static Result<FilmPlace> take(const std::string &path);

  FilmPlace(FilmPlace &&) noexcept = default;
  FilmPlace &operator=(FilmPlace &&) = delete;
  ~FilmPlace();

  const std::string &path() const { return path_; }
  std::string part() const;
  // Syncs the part, and gives it the name.
  Result<void> publish();

 private:
  FilmPlace(std::string path, std::unique_ptr<File> file, FileLock lock)
      : path_(std::move(path)), file_(std::move(file)), lock_(std::move(lock)) {}

  std::string path_;
  std::unique_ptr<File> file_;  // Null: moved from, or published.
  FileLock lock_;
};

}  // namespace genclip
