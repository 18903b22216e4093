// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/clip_index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "plugin/frame/box_reader.h"
#include "plugin/frame/movie_index.h"

namespace genclip {
namespace {

using std::chrono::nanoseconds;

class Descriptor {
 public:
  explicit Descriptor(const std::string &path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

bool is_first_box(std::string_view type) {
  constexpr std::array<std::string_view, 7> kTypes = {"ftyp", "moov", "mdat", "free", "wide", "skip", "styp"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

std::vector<nanoseconds> shown_times(const MovieIndex &index) {
  std::vector<nanoseconds> shown;
  if (index.edits.empty())
    for (const GstClockTime begin : index.begins) shown.emplace_back(begin);
  for (const Edit &edit : index.edits) {
    if (!edit.media) continue;
    for (const GstClockTime begin : index.begins)
      if (begin >= *edit.media && begin < edit.media_end)
        shown.emplace_back(edit.shown + begin - *edit.media);
  }
  return shown;
}

}  // namespace

Result<std::optional<std::vector<nanoseconds>>> promised_frames(const std::string &path) {
  const Descriptor file(path);
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0)
    return Error{errno == ENOENT ? ErrorKind::not_found : ErrorKind::open_read,
                 std::string("It cannot be opened: ") + g_strerror(errno) + "."};
  // Opening a pipe would wait for a writer.
  if (!S_ISREG(status.st_mode)) return Error{ErrorKind::settings, "It is not a regular file."};
  const auto read = [&](uint64_t offset, void *target, size_t size) {
    return pread(file.get(), target, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  };
  std::array<char, 8> head{};
  if (!read(0, head.data(), head.size()) || !is_first_box(std::string_view(head.data() + 4, 4)))
    return std::optional<std::vector<nanoseconds>>();
  const auto size = static_cast<uint64_t>(status.st_size);
  for (const Box &box : BoxReader(read, size).boxes())
    if (box.is_cut && (box.is("moov") || box.is("mdat") || box.is("moof")))
      return Error{ErrorKind::read, "The end of its file is missing."};
  const auto index = read_movie_index(read, size);
  if (!index) return Error{index.error().kind, "It " + index.error().text};
  if (index->is_fragmented) return std::optional<std::vector<nanoseconds>>();
  return std::optional(shown_times(*index));
}

}  // namespace genclip
