// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/box_reader.h"

#include <algorithm>

namespace genclip {
namespace {

// A fragmented file has two a fragment.
constexpr unsigned kMaxBoxes = 100'000;
// A frame each, at 60 a second: 19 hours.
constexpr uint64_t kMaxRows = uint64_t{1} << 22;

uint64_t big_endian(const uint8_t *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

std::vector<Box> BoxReader::boxes_in(uint64_t begin, uint64_t end) {
  std::vector<Box> found;
  while (begin < end && end - begin >= 8 && seen_++ < kMaxBoxes) {
    const uint64_t left = end - begin;
    std::array<uint8_t, 16> header{};
    if (!read_(begin, header.data(), 8)) break;
    uint64_t size = big_endian(header.data(), 4);
    uint64_t header_size = 8;
    if (size == 1) {  // The size follows, with 64 bits.
      header_size = 16;
      if (left < header_size || !read_(begin + 8, header.data() + 8, 8)) break;
      size = big_endian(header.data() + 8, 8);
    }
    if (size == 0) size = left;  // It is the last.
    if (size < header_size) break;
    Box box;
    std::copy_n(header.begin() + 4, box.type.size(), box.type.begin());
    box.is_cut = size > left;
    box.start = begin;
    box.content = begin + header_size;
    box.end = begin + std::min(size, left);
    found.push_back(box);
    begin = box.end;
  }
  return found;
}

std::optional<Box> BoxReader::find(const Box &parent, std::initializer_list<std::string_view> path) {
  Box box = parent;
  for (const std::string_view type : path) {
    const auto children = boxes(box);
    const auto child =
        std::find_if(children.begin(), children.end(), [&](const Box &one) { return one.is(type); });
    if (child == children.end()) return std::nullopt;
    box = *child;
  }
  return box;
}

std::optional<uint64_t> BoxReader::number(const Box &box, uint64_t place, size_t size) const {
  std::array<uint8_t, 8> bytes{};
  const uint64_t length = box.end - box.content;
  if (place > length || length - place < size || !read_(box.content + place, bytes.data(), size))
    return std::nullopt;
  return big_endian(bytes.data(), size);
}

std::optional<std::vector<uint32_t>> BoxReader::table(const Box &box, uint64_t place,
                                                      unsigned columns) const {
  const auto rows = number(box, place, 4);
  if (!rows || *rows > kMaxRows) return std::nullopt;
  const auto count = static_cast<size_t>(*rows * columns);
  const uint64_t begin = place + 4;
  if ((box.end - box.content - begin) / 4 < count) return std::nullopt;
  std::vector<uint8_t> bytes(count * 4);
  if (!bytes.empty() && !read_(box.content + begin, bytes.data(), bytes.size())) return std::nullopt;
  std::vector<uint32_t> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<uint32_t>(big_endian(&bytes[i * 4], 4));
  return numbers;
}

}  // namespace genclip
