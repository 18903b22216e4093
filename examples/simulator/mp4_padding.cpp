// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/mp4_padding.h"

#include <algorithm>
#include <string>

namespace genclip::sim {
namespace {

constexpr size_t kHeader = 8, kLargeHeader = 16;

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

std::vector<Mp4Box> mp4_boxes(std::string_view file) {
  std::vector<Mp4Box> boxes;
  for (size_t at = 0; file.size() - at >= kHeader;) {
    uint64_t size = big_endian(file.substr(at, 4));
    if (size == 0) size = file.size() - at;
    if (size == 1) size = file.size() - at < kLargeHeader ? 0 : big_endian(file.substr(at + kHeader, 8));
    if (size < kHeader || size > file.size() - at) break;
    boxes.push_back({file.substr(at + 4, 4), at, static_cast<size_t>(size)});
    at += static_cast<size_t>(size);
  }
  return boxes;
}

GRef<GBytes> padded_mp4(const GRef<GBytes> &file, uint64_t least_bytes) {
  gsize size = 0;
  const auto *data = static_cast<const char *>(g_bytes_get_data(file.get(), &size));
  if (size >= least_bytes) return file;
  const std::string_view whole(data, size);
  const auto boxes = mp4_boxes(whole);
  const size_t place = !boxes.empty() && boxes.back().type == "moov" ? boxes.back().offset : size;
  const auto free_size = static_cast<uint32_t>(std::max<uint64_t>(least_bytes - size, kHeader));
  const uint32_t free_header = GUINT32_TO_BE(free_size);

  std::string out;
  out.reserve(size + free_size);
  out += whole.substr(0, place);
  out.append(reinterpret_cast<const char *>(&free_header), 4);
  out += "free";
  // Varied bytes, so that a misplaced part is noticed.
  for (uint32_t i = kHeader; i < free_size; ++i) out += static_cast<char>((i * 2654435761u) >> 24);
  out += whole.substr(place);
  return GRef<GBytes>::adopt(g_bytes_new(out.data(), out.size()));
}

}  // namespace genclip::sim
