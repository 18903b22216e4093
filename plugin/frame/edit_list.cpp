// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/edit_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace genclip {
namespace {

// More than any real file has on the way to its tracks.
constexpr unsigned kMaxBoxes = 10'000;

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
};

class BoxReader {
 public:
  explicit BoxReader(int descriptor) : descriptor_(descriptor) {}

  // Calls `see(type, content)` for each box in the range, until it returns true.
  template <typename See>
  void each(Range range, See see) {
    while (range.end - range.begin >= 8 && boxes_++ < kMaxBoxes) {
      uint64_t size = number(range.begin, 4);
      uint64_t header = 8;
      std::array<char, 4> type{};
      read(range.begin + 4, type.data(), type.size());
      if (size == 1) {
        size = number(range.begin + 8, 8);
        header = 16;
      }
      const uint64_t left = range.end - range.begin;
      if (size == 0 || size > left) size = left;
      if (size < header) return;
      if (see(std::string_view(type.data(), type.size()), Range{range.begin + header, range.begin + size}))
        return;
      range.begin += size;
    }
  }

  std::optional<Range> find(Range range, std::string_view wanted) {
    std::optional<Range> found;
    each(range, [&](std::string_view type, Range content) {
      if (type == wanted) found = content;
      return found.has_value();
    });
    return found;
  }

  // The type of a track's media: "vide".
  bool is_video(Range track) {
    const auto media = find(track, "mdia");
    const auto handler = media ? find(*media, "hdlr") : std::nullopt;
    std::array<char, 4> type{};
    // After the version and a type that only QuickTime uses.
    if (handler) read(handler->begin + 8, type.data(), type.size());
    return std::string_view(type.data(), type.size()) == "vide";
  }

 private:
  bool read(uint64_t offset, void *target, size_t size) const {
    return pread(descriptor_, target, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  }

  uint64_t number(uint64_t offset, size_t size) const {
    std::array<uint8_t, 8> bytes{};
    if (!read(offset, bytes.data(), size)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | bytes[i];
    return value;
  }

  const int descriptor_;
  unsigned boxes_ = 0;
};

}  // namespace

bool has_edit_list(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return true;
  BoxReader boxes(descriptor);
  const auto index = boxes.find({0, static_cast<uint64_t>(status.st_size)}, "moov");
  bool has_list = true;
  if (!index) return has_list;
  boxes.each(*index, [&](std::string_view type, Range track) {
    if (type != "trak" || !boxes.is_video(track)) return false;
    const auto edits = boxes.find(track, "edts");
    has_list = edits && boxes.find(*edits, "elst");
    return true;
  });
  return has_list;
}

}  // namespace genclip
