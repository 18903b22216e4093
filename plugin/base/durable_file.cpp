// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/durable_file.h"

#include <vector>

namespace genclip {
namespace {

Result<std::string> read_once(FileSystem &files, const std::string &path, size_t limit) {
  const auto info = files.info(path);
  if (!info) return info.error();
  if (*info && !(*info)->is_regular) return Error{ErrorKind::wrong_type, path + " is not a regular file."};
  auto file = files.open(path, FileSystem::Mode::read);
  if (!file) return std::move(file).error();
  const auto size = (*file)->size();
  if (!size) return size.error();
  if (*size > limit)
    return Error{ErrorKind::wrong_type, path + " is larger than " + std::to_string(limit) + " bytes."};
  std::string contents(static_cast<size_t>(*size), '\0');
  const auto count = (*file)->read_at(0, std::as_writable_bytes(std::span(contents)));
  if (!count) return count.error();
  contents.resize(*count);
  return contents;
}

}  // namespace

std::string folder_of(const std::string &path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> make_folder_durably(FileSystem &files, const std::string &path) {
  std::vector<std::string> parents;  // Of what is missing, the deepest first.
  for (std::string folder = path;; folder = folder_of(folder)) {
    const auto info = files.info(folder);
    if (!info) return info.error();
    if (*info || folder == folder_of(folder)) break;
    parents.push_back(folder_of(folder));
  }
  if (auto made = files.make_folder(path); !made) return made;
  for (const std::string &parent : parents)
    if (auto synced = files.sync_folder(parent); !synced) return synced;
  return {};
}

Result<void> rename_durably(FileSystem &files, const std::string &from, const std::string &to) {
  if (auto renamed = files.rename(from, to); !renamed) return renamed;
  return files.sync_folder(folder_of(to));
}

Result<void> write_durably(FileSystem &files, const std::string &path, std::string_view contents) {
  return write_durably(files, path, contents, path + ".tmp");
}

Result<void> write_durably(FileSystem &files, const std::string &path, std::string_view contents,
                           const std::string &temporary) {
  if (auto written = write_synced(files, temporary, contents); !written) return written;
  return rename_durably(files, temporary, path);
}

Result<void> write_synced(FileSystem &files, const std::string &path, std::string_view contents) {
  auto file = files.open(path, FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  if (auto written = (*file)->write_at(0, std::as_bytes(std::span(contents))); !written) return written;
  if (auto cut = (*file)->truncate(contents.size()); !cut) return cut;
  if (auto synced = (*file)->sync(); !synced) return synced;
  return {};
}

Result<std::string> read_whole(FileSystem &files, const std::string &path, size_t limit) {
  return retry_when_replaced([&] { return read_once(files, path, limit); });
}

}  // namespace genclip
