// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/c2pa_mark.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace genclip {
namespace {

// d8fec3d6-1b0e-483c-9297-5828877ec481
constexpr uint64_t kUuidBegin = 0xd8fec3d61b0e483c;
constexpr uint64_t kUuidEnd = 0x92975828877ec481;
constexpr std::string_view kPng("\x89PNG\r\n\x1a\n", 8);
constexpr unsigned kMaxParts = 10'000;  // Chunks or segments; more are damage.

bool has_box(const ReadAt &read, uint64_t size) {
  BoxReader reader(read, size);
  const auto boxes = reader.boxes();
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box &box) {
    return box.is("uuid") && reader.number(box, 0, 8) == kUuidBegin && reader.number(box, 8, 8) == kUuidEnd;
  });
}

bool has_chunk(const ReadAt &read, uint64_t size) {
  std::array<uint8_t, 8> head{};
  uint64_t at = kPng.size();
  for (unsigned part = 0; part < kMaxParts && at + head.size() <= size && read(at, head.data(), head.size());
       ++part) {
    if (std::memcmp(head.data() + 4, "caBX", 4) == 0) return true;
    const uint64_t length = uint64_t{head[0]} << 24 | head[1] << 16 | head[2] << 8 | head[3];
    at += length + 12;  // The header and the checksum.
  }
  return false;
}

// Up to the pixels, where a JPEG's segments end.
bool has_segment(const ReadAt &read, uint64_t size) {
  constexpr uint8_t kApp11 = 0xeb, kPixels = 0xda;
  std::array<uint8_t, 4> head{};
  uint64_t at = 2;
  for (unsigned part = 0; part < kMaxParts && at + head.size() <= size && read(at, head.data(), head.size());
       ++part) {
    if (head[0] != 0xff || head[1] == kPixels) return false;
    std::array<char, 2> kind{};
    if (head[1] == kApp11 && at + 6 <= size && read(at + 4, kind.data(), kind.size()) &&
        std::string_view(kind.data(), kind.size()) == "JP")
      return true;
    at += 2 + (uint64_t{head[2]} << 8 | head[3]);
  }
  return false;
}

}  // namespace

bool has_c2pa_mark(const ReadAt &read, uint64_t size) {
  std::array<char, 8> head{};
  if (size < head.size() || !read(0, head.data(), head.size())) return false;
  const std::string_view begin(head.data(), head.size());
  if (begin == kPng) return has_chunk(read, size);
  if (begin.starts_with("\xff\xd8\xff")) return has_segment(read, size);
  return has_box(read, size);
}

bool has_c2pa_mark(File &file) {
  const auto size = file.size();
  if (!size) return false;
  const ReadAt read = [&](uint64_t offset, void *target, size_t count) {
    const auto done = file.read_at(offset, std::span(static_cast<std::byte *>(target), count));
    return done && *done == count;
  };
  return has_c2pa_mark(read, *size);
}

}  // namespace genclip
