// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A copy of a file for others to read: its name, and how it comes into a folder.
#pragma once

#include <gio/gio.h>

#include <string>
#include <string_view>

#include "plugin/base/file_system.h"
#include "plugin/base/local_file.h"
#include "plugin/base/result.h"

namespace genclip {

// The name of the copy of a file: HMAC-SHA256 of its content with the store's secret, in hexadecimal, and the
// extension of its media type. The same content has the same name, and who does not know the secret cannot
// guess it. ErrorKind::busy: the file does not have the content `sha256` any more. ErrorKind::wrong_type: not
// a type of picture, video or sound.
Result<std::string> copy_name(const LocalFile &file, const std::string &sha256, std::string_view secret,
                              std::string_view media_type, GCancellable *cancellable);
// True for any name that copy_name() returns.
bool is_copy_name(std::string_view name);

// The hexadecimal part of the name; errors as LocalFile::read_all().
Result<std::string> content_hmac(const LocalFile &file, std::string_view secret, GCancellable *cancellable);

// Writes FOLDER/NAME: complete and synced, or not at all. Errors of the file as copy_name(), of the folder as
// FileSystem.
Result<void> write_copy(FileSystem &files, const LocalFile &file, const std::string &sha256,
                        const std::string &folder, const std::string &name, FileSystem::Mode mode,
                        GCancellable *cancellable);
// True for the name that a copy has until it is complete. It begins with a dot, which most listings of web
// servers leave out.
bool is_temporary_name(std::string_view name);

}  // namespace genclip
