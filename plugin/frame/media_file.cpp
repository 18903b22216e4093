// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The table below is the list of everything that may be parsed. GStreamer's own choice would also follow
// playlists, which name other files and addresses.
#include "plugin/frame/media_file.h"

#include <fcntl.h>
#include <gst/base/gsttypefindhelper.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/fresh_lookup.h"
#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr const char *kQuickTime = "qtdemux";

constexpr ContainerType kContainers[] = {
    {"video/quicktime", kQuickTime}, {"application/x-3gp", kQuickTime},
    {"video/webm", "matroskademux"}, {"video/x-matroska", "matroskademux"},
    {"image/png", nullptr},          {"image/jpeg", nullptr},
};

constexpr size_t kHeadSize = 64 * 1024;

Error not_opened(int error) {
  return {error == ENOENT || error == ENOTDIR ? ErrorKind::not_found : ErrorKind::open_read,
          std::string("cannot be opened: ") + g_strerror(error) + "."};
}

Error not_media(const std::string &why) { return {ErrorKind::wrong_type, why}; }

Result<const ContainerType *> type_of(int descriptor) {
  std::vector<guint8> head(kHeadSize);
  const ssize_t count = pread(descriptor, head.data(), head.size(), 0);
  if (count < 0)
    return Error{ErrorKind::open_read, std::string("cannot be read: ") + g_strerror(errno) + "."};
  if (count == 0) return not_media("is empty.");
  const auto caps = GRef<GstCaps>::adopt(
      gst_type_find_helper_for_data(nullptr, head.data(), static_cast<gsize>(count), nullptr));
  const std::string_view name =
      caps ? gst_structure_get_name(gst_caps_get_structure(caps.get(), 0)) : "nothing known";
  const auto *found = std::find_if(std::begin(kContainers), std::end(kContainers),
                                   [&](const ContainerType &type) { return name == type.media_type; });
  if (found == std::end(kContainers))
    return not_media("is not an MP4, QuickTime, WebM or Matroska video, nor a PNG or JPEG picture (" +
                     std::string(name) + ").");
  return found;
}

}  // namespace

Result<MediaFile> MediaFile::open(const std::string &path) {
  // Opening a FIFO without O_NONBLOCK waits for its writer.
  struct stat status;
  const int descriptor = open_fresh(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, &status);
  if (descriptor < 0) return not_opened(errno);
  MediaFile file(descriptor);
  if (S_ISDIR(status.st_mode)) return not_media("is a folder.");
  if (!S_ISREG(status.st_mode)) return not_media("is not a regular file.");
  auto type = type_of(descriptor);
  if (!type) return std::move(type).error();
  file.type_ = *type;
  if ((*type)->demuxer != kQuickTime) return file;
  const auto read = [descriptor](uint64_t offset, void *target, size_t size) {
    return pread(descriptor, target, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  };
  auto movie = read_movie_index(read, static_cast<uint64_t>(status.st_size));
  if (!movie) return std::move(movie).error();
  file.movie_.emplace(std::move(*movie));
  return file;
}

MediaFile::~MediaFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

MediaFile::MediaFile(MediaFile &&other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      type_(other.type_),
      movie_(std::move(other.movie_)) {}

MediaFile &MediaFile::operator=(MediaFile &&other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(type_, other.type_);
  std::swap(movie_, other.movie_);
  return *this;
}

std::string MediaFile::location() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace genclip
