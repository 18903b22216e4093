// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Walks through the boxes of an MP4 or QuickTime file. Any bytes are safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace genclip {

// Copies bytes of a file; false when the file has fewer.
using ReadAt = std::function<bool(uint64_t offset, void *target, size_t size)>;

struct Box {
  std::array<char, 4> type{};
  uint64_t start = 0;    // Of its header.
  uint64_t content = 0;  // Behind its header.
  uint64_t end = 0;
  bool is_cut = false;  // It says that it is longer than what contains it.

  bool is(std::string_view wanted) const { return std::string_view(type.data(), type.size()) == wanted; }
};

class BoxReader {
 public:
  BoxReader(ReadAt read, uint64_t file_size) : read_(std::move(read)), size_(file_size) {}

  // Those of the file, or those in a box. Ends at the first that cannot be one.
  std::vector<Box> boxes() { return boxes_in(0, size_); }
  std::vector<Box> boxes(const Box &parent, uint64_t skipped = 0) {
    return boxes_in(parent.content + skipped, parent.end);
  }

  // The first one along this path.
  std::optional<Box> find(const Box &parent, std::initializer_list<std::string_view> path);

  // A big-endian number at this place in the box; nothing behind its end.
  std::optional<uint64_t> number(const Box &box, uint64_t place, size_t size) const;

  // The 32-bit numbers of a table of `columns`, whose count of rows is at this place in the box. Nothing when
  // the box is too short for them, or when there are more than any film has.
  std::optional<std::vector<uint32_t>> table(const Box &box, uint64_t place, unsigned columns) const;

 private:
  std::vector<Box> boxes_in(uint64_t begin, uint64_t end);

  const ReadAt read_;
  const uint64_t size_;
  unsigned seen_ = 0;
};

}  // namespace genclip
