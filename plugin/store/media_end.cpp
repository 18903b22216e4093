// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One check per kind of media, in a table.
#include "plugin/store/media_end.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace genclip {
namespace {

MediaEnd whole_if(bool is_whole) { return is_whole ? MediaEnd::whole : MediaEnd::cut; }

// False when the file ends before the target is full.
Result<bool> fill(File &file, uint64_t offset, std::span<std::byte> target) {
  const auto count = file.read_at(offset, target);
  if (!count) return count.error();
  return *count == target.size();
}

uint64_t big_endian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<uint64_t>(byte);
  return value;
}

uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | std::to_integer<uint64_t>(bytes[i - 1]);
  return value;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// Top-level boxes: a size and a type each; a size of 1 is followed by a long one, 0 means up to the end.
Result<MediaEnd> mp4_end(File &file, uint64_t size) {
  bool has_index = false;
  bool has_frames = false;
  uint64_t offset = 0;
  while (offset < size) {
    std::array<std::byte, 16> header = {};
    const auto filled = fill(file, offset, std::span(header).first(std::min<uint64_t>(16, size - offset)));
    if (!filled) return filled.error();
    if (size - offset < 8) return MediaEnd::cut;
    const std::span<const std::byte> bytes(header);
    const std::string_view type = text_of(bytes.subspan(4, 4));
    has_index = has_index || type == "moov";
    has_frames = has_frames || type == "mdat";
    const uint64_t short_size = big_endian(bytes.first(4));
    const bool is_long = short_size == 1;
    if (short_size == 0) return whole_if(has_index && has_frames);
    if (is_long && size - offset < 16) return MediaEnd::cut;
    const uint64_t box_size = is_long ? big_endian(bytes.subspan(8, 8)) : short_size;
    if (box_size < (is_long ? 16u : 8u) || box_size > size - offset) return MediaEnd::cut;
    offset += box_size;
  }
  return whole_if(has_index && has_frames);
}

template <size_t kLength>
Result<MediaEnd> ends_with(File &file, uint64_t size, const char (&ending)[kLength]) {
  constexpr size_t kCount = kLength - 1;
  std::array<std::byte, kCount> last;
  if (size < kCount) return MediaEnd::cut;
  const auto filled = fill(file, size - kCount, last);
  if (!filled) return filled.error();
  return whole_if(*filled && std::memcmp(last.data(), ending, kCount) == 0);
}

Result<MediaEnd> png_end(File &file, uint64_t size) { return ends_with(file, size, "IEND\xae\x42\x60\x82"); }
Result<MediaEnd> jpeg_end(File &file, uint64_t size) { return ends_with(file, size, "\xff\xd9"); }
Result<MediaEnd> gif_end(File &file, uint64_t size) { return ends_with(file, size, ";"); }

// "RIFF", then how much follows, padded to an even length.
Result<MediaEnd> riff_end(File &file, uint64_t size) {
  std::array<std::byte, 8> header;
  const auto filled = fill(file, 0, header);
  if (!filled) return filled.error();
  const uint64_t rest = little_endian(std::span<const std::byte>(header).subspan(4, 4));
  return whole_if(*filled && size >= 8 + rest);
}

struct EndCheck {
  std::string_view media_type;
  Result<MediaEnd> (*check)(File &file, uint64_t size);
};

constexpr EndCheck kChecks[] = {
    {"video/mp4", mp4_end},        {"image/png", png_end},   {"image/jpeg", jpeg_end},
    {"video/x-msvideo", riff_end}, {"image/webp", riff_end}, {"image/gif", gif_end},
};

}  // namespace

Result<MediaEnd> media_end_of(File &file, const MediaContainer &container) {
  const auto size = file.size();
  if (!size) return size.error();
  for (const EndCheck &entry : kChecks)
    if (entry.media_type == container.media_type) return entry.check(file, *size);
  return MediaEnd::unknown;
}

}  // namespace genclip
