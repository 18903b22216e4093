// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_place.h"

#include <glib.h>

#include <utility>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/base/local_file.h"

namespace genclip {
namespace {

constexpr const char *kPart = ".part";
// As the system's own limit.
constexpr int kMostLinks = 40;
constexpr mode_t kFileMode = 0666;

bool is_empty(File &file) {
  const auto size = file.size();
  return size && *size == 0;
}

Error film_not_written(const std::string &path, const Error &why) {
  Error error = why;
  error.text = "The film cannot be written to " + path + ": " + why.text;
  return error;
}

}  // namespace

std::string without_links(const std::string &path) {
  std::string file = path;
  for (int links = 0; links < kMostLinks; ++links) {
    const GStringPtr target(g_file_read_link(file.c_str(), nullptr));
    if (!target) return file;
    file = absolute_path(target.get(), folder_of(file));
  }
  return file;
}

Result<FilmPlace> FilmPlace::take(const std::string &path, Kind kind) {
  const std::string file = without_links(path), part = file + kPart;
  // Makes the part as any file that a user makes: the umask says who may read it.
  auto lock = FileLock::try_lock(part, FileLock::Kind::exclusive, kFileMode);
  if (lock && !*lock) return Error{ErrorKind::busy, "Another run writes " + path + " at the moment."};
  auto made = FileSystem::posix().open(part, FileSystem::Mode::read_write);
  if (kind == Kind::text && !(made && is_empty(**made))) return FilmPlace(file, nullptr, std::nullopt);
  if (!made) return film_not_written(path, made.error());
  return FilmPlace(file, *std::move(made), lock ? *std::move(lock) : std::nullopt);
}

FilmPlace::~FilmPlace() {
  // What is left can be removed by hand, should this fail.
  if (file_) static_cast<void>(FileSystem::posix().remove(part()));
}

std::string FilmPlace::part() const { return path_ + kPart; }

Result<void> FilmPlace::publish() {
  if (auto synced = file_->sync(); !synced) return film_not_written(path_, synced.error());
  if (auto renamed = rename_durably(FileSystem::posix(), part(), path_); !renamed)
    return film_not_written(path_, renamed.error());
  file_ = nullptr;
  return {};
}

}  // namespace genclip
