// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Opens a file to decode, if it is of a type that a frame can come from.
#pragma once

#include <optional>
#include <string>

#include "plugin/base/result.h"
#include "plugin/frame/movie_index.h"

namespace genclip {

struct ContainerType {
  const char *media_type;  // As GStreamer's typefinders call it.
  const char *demuxer;     // Null for a picture, whose media type is also its codec.
};

// A regular file, open for as long as this object lives: replacing the file does not change what is read.
class MediaFile {
 public:
  // Errors as frame_at().
  static Result<MediaFile> open(const std::string &path);

  ~MediaFile();
  MediaFile(MediaFile &&other) noexcept;
  MediaFile &operator=(MediaFile &&other) noexcept;

  // A path under which this process can open it again.
  std::string location() const;
  const ContainerType &type() const { return *type_; }
  // Of MP4 and QuickTime only.
  const std::optional<MovieIndex> &movie() const { return movie_; }

 private:
  explicit MediaFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
  const ContainerType *type_ = nullptr;
  std::optional<MovieIndex> movie_;
};

}  // namespace genclip
