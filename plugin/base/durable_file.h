// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Replaces small files atomically: after a crash the file has either its old content or its new one.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/file_system.h"

namespace genclip {

// The folder part of a path.
std::string folder_of(const std::string &path);

// Makes the folder and its missing parents, with mode 0700. Succeeds when it exists. The names of new folders
// survive a power cut.
Result<void> make_folder_durably(FileSystem &files, const std::string &path);

// Writes `path` + ".tmp", syncs it, renames it and syncs the folder. One writer of a path at a time. If a
// temporary file of at least that size exists, its space is reused, so that the write needs no more.
Result<void> write_durably(FileSystem &files, const std::string &path, std::string_view contents);
// The same with a temporary file of that name, in the same folder. With another name for each writer, several
// may write a path at the same time; the last one wins.
Result<void> write_durably(FileSystem &files, const std::string &path, std::string_view contents,
                           const std::string &temporary);

// Writes and syncs a file, so that it can be renamed. The space that it had is reused.
Result<void> write_synced(FileSystem &files, const std::string &path, std::string_view contents);

// Renames within one folder and syncs it.
Result<void> rename_durably(FileSystem &files, const std::string &from, const std::string &to);

// Opens and reads a file by `read`, which returns a Result; and again while another machine replaces the file
// in the meantime (ErrorKind::stale).
template <typename Read>
auto retry_when_replaced(Read read) {
  constexpr int kTries = 10;
  auto result = read();
  for (int tries = 1; !result && result.error().kind == ErrorKind::stale && tries < kTries; ++tries)
    result = read();
  if (!result && result.error().kind == ErrorKind::stale) result.error().kind = ErrorKind::read;
  return result;
}

// The whole file. ErrorKind::wrong_type for more than `limit` bytes, and for anything but a regular file.
Result<std::string> read_whole(FileSystem &files, const std::string &path, size_t limit);

}  // namespace genclip
