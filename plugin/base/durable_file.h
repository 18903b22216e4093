// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Small files that are either the old or the new, whatever happens in between.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/file_system.h"

namespace genclip {

// The folder part of a path.
std::string folder_of(const std::string &path);

// With its parents, mode 0700; fine when it exists. The names of those that were made survive a power cut.
Result<void> make_folder_durably(FileSystem &files, const std::string &path);

// Writes `path` + ".tmp", syncs it, renames it and syncs the folder. One writer of a path at a time.
// Where a temporary file of at least that size is there already, its space is used: no more is needed.
Result<void> write_durably(FileSystem &files, const std::string &path, std::string_view contents);

// Renames within one folder and syncs it.
Result<void> rename_durably(FileSystem &files, const std::string &from, const std::string &to);

// The whole file. More than `limit` bytes, or what is no regular file, is ErrorKind::wrong_type.
Result<std::string> read_whole(FileSystem &files, const std::string &path, size_t limit);

}  // namespace genclip
