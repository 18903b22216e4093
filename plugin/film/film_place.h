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
// run has left behind is taken over. Where the file system has no locks, it does without.
class FilmPlace {
 public:
  enum class Kind {
    copy,  // The part becomes the file.
    text,  // The part stays empty, and is only for the lock: where it cannot be made, or is of somebody else,
           // the text does without.
  };

  // `path` may be a link: what it leads to is replaced. ErrorKind::busy while another process has it.
  static Result<FilmPlace> take(const std::string &path, Kind kind);

  FilmPlace(FilmPlace &&) noexcept = default;
  FilmPlace &operator=(FilmPlace &&) = delete;
  ~FilmPlace();

  const std::string &path() const { return path_; }
  std::string part() const;
  // Of a copy. Syncs the part, and gives it the name.
  Result<void> publish();

 private:
  FilmPlace(std::string path, std::unique_ptr<File> file, std::optional<FileLock> lock)
      : path_(std::move(path)), file_(std::move(file)), lock_(std::move(lock)) {}

  std::string path_;
  std::unique_ptr<File> file_;  // Null: moved from, published, or the text does without a part.
  std::optional<FileLock> lock_;
};

}  // namespace genclip
