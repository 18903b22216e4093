// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/media_end.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace genclip {
namespace {

MediaEnd whole_if(bool is_whole) { return is_whole ? MediaEnd::whole : MediaEnd::cut; }

// Reads the file byte by byte through a buffer.
class MediaBytes {
 public:
  MediaBytes(File &file, uint64_t size) : file_(file), size_(size) {}

  uint64_t size() const { return size_; }
  const std::optional<Error> &error() const { return error_; }

  // The byte at that offset; 0 behind the end, and when the file cannot be read.
  uint8_t at(uint64_t offset) {
    if (offset >= size_) return 0;
    if (offset < begin_ || offset - begin_ >= filled_) fill(offset);
    return offset - begin_ < filled_ ? std::to_integer<uint8_t>(window_[static_cast<size_t>(offset - begin_)])
                                     : uint8_t{0};
  }

  uint64_t big_endian(uint64_t offset, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value = value << 8 | at(offset + i);
    return value;
  }

  uint64_t little_endian(uint64_t offset, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = count; i > 0; --i) value = value << 8 | at(offset + i - 1);
    return value;
  }

  std::string word(uint64_t offset) {
    std::string word;
    for (unsigned i = 0; i < 4; ++i) word += static_cast<char>(at(offset + i));
    return word;
  }

  // The verdict when the media end there: bytes that follow may be a part of something.
  MediaEnd ends_at(uint64_t offset) const {
    if (offset > size_) return MediaEnd::cut;
    return offset == size_ ? MediaEnd::whole : MediaEnd::unknown;
  }

 private:
  void fill(uint64_t offset) {
    begin_ = offset;
    filled_ = 0;
    const auto count = error_ ? Result<size_t>(size_t{0}) : file_.read_at(offset, window_);
    if (count)
      filled_ = *count;
    else
      error_ = count.error();
  }

  File &file_;
  const uint64_t size_;
  std::array<std::byte, 16 * 1024> window_;
  uint64_t begin_ = 0;
  size_t filled_ = 0;
  std::optional<Error> error_;
};

// Top-level boxes: a size and a type each; a size of 1 is followed by a long one, 0 means up to the end. A
// clip has `index`, and most have frames beside it. After these two come boxes that it plays without, or
// bytes that are no box; fragments may follow each other for ever.
MediaEnd boxes_end(MediaBytes &bytes, std::string_view index, bool needs_frames) {
  const uint64_t size = bytes.size();
  bool has_index = false;
  bool has_frames = !needs_frames;
  bool has_fragments = false;
  for (uint64_t offset = 0; offset < size;) {
    const bool is_enough = has_index && has_frames;
    const uint64_t rest = size - offset;
    if (rest < 8) return is_enough ? MediaEnd::unknown : MediaEnd::cut;
    const uint64_t short_size = bytes.big_endian(offset, 4);
    const bool is_long = short_size == 1;
    const uint64_t box_size = is_long ? bytes.big_endian(offset + 8, 8) : short_size;
    const std::string type = bytes.word(offset + 4);
    const bool is_vital = type == index || type == "moov" || type == "mdat" || type == "moof";
    const bool is_up_to_the_end = short_size == 0;
    if (!is_up_to_the_end && (box_size < (is_long ? 16u : 8u) || box_size > rest))
      return is_enough && !is_vital ? MediaEnd::unknown : MediaEnd::cut;
    has_index = has_index || type == index;
    has_frames = has_frames || type == "mdat";
    has_fragments = has_fragments || type == "moof";
    if (is_up_to_the_end) return has_index && has_frames ? MediaEnd::unknown : MediaEnd::cut;
    offset += box_size;
  }
  if (!has_index || !has_frames) return MediaEnd::cut;
  return has_fragments ? MediaEnd::unknown : MediaEnd::whole;
}

MediaEnd mp4_end(MediaBytes &bytes) { return boxes_end(bytes, "moov", true); }
MediaEnd still_boxes_end(MediaBytes &bytes) { return boxes_end(bytes, "meta", false); }

// Chunks: how many bytes, a type, these bytes and a checksum.
MediaEnd png_end(MediaBytes &bytes) {
  for (uint64_t offset = 8; offset + 12 <= bytes.size();) {
    const bool is_last = bytes.word(offset + 4) == "IEND";
    offset += 12 + bytes.big_endian(offset, 4);
    if (is_last) return bytes.ends_at(offset);
  }
  return MediaEnd::cut;
}

// Segments with a length each; behind the one that begins a scan come its data, in which FF is followed by 00
// or by one of eight marks.
MediaEnd jpeg_end(MediaBytes &bytes) {
  constexpr uint8_t kEnd = 0xd9, kScan = 0xda;
  const auto has_no_length = [](uint8_t mark) { return mark == 0x01 || (mark >= 0xd0 && mark <= 0xd8); };
  const uint64_t size = bytes.size();
  for (uint64_t offset = 0; offset + 2 <= size;) {
    // Bytes that are no mark cannot be followed; only the end of the file tells then.
    if (bytes.at(offset) != 0xff) return whole_if(bytes.at(size - 2) == 0xff && bytes.at(size - 1) == kEnd);
    const uint8_t mark = bytes.at(offset + 1);
    if (mark == 0xff) {
      ++offset;
      continue;
    }
    offset += 2;
    if (mark == kEnd) return bytes.ends_at(offset);
    if (has_no_length(mark)) continue;
    offset += std::max<uint64_t>(bytes.big_endian(offset, 2), 2);
    if (mark != kScan) continue;
    const auto is_data = [&](uint64_t at) {
      const uint8_t next = bytes.at(at + 1);
      return bytes.at(at) != 0xff || next == 0x00 || (next >= 0xd0 && next <= 0xd7);
    };
    while (offset + 1 < size && is_data(offset)) ++offset;
  }
  return MediaEnd::cut;
}

// A head, a table of colours, then images and extensions, each in blocks of at most 255 bytes, up to a
// semicolon.
MediaEnd gif_end(MediaBytes &bytes) {
  const auto colours = [&](uint64_t flags) -> uint64_t {
    const unsigned bits = bytes.at(flags);
    return (bits & 0x80) != 0 ? uint64_t{3} << ((bits & 7) + 1) : 0;
  };
  uint64_t offset = 13 + colours(10);
  while (offset < bytes.size()) {
    const uint8_t kind = bytes.at(offset);
    if (kind == ';') return bytes.ends_at(offset + 1);
    if (kind != '!' && kind != ',') break;
    offset += kind == '!' ? 2 : 11 + colours(offset + 9);
    while (offset < bytes.size() && bytes.at(offset) != 0) offset += 1 + bytes.at(offset);
    ++offset;
  }
  return MediaEnd::cut;
}

// "RIFF", then how much follows, padded to an even length.
MediaEnd riff_end(MediaBytes &bytes) {
  return whole_if(bytes.size() >= 8 && bytes.size() >= 8 + bytes.little_endian(4, 4));
}

struct EndCheck {
  std::string_view media_type;
  MediaEnd (*check)(MediaBytes &bytes);
};

constexpr EndCheck kChecks[] = {
    {"video/mp4", mp4_end},          {"image/png", png_end},          {"image/jpeg", jpeg_end},
    {"video/x-msvideo", riff_end},   {"image/webp", riff_end},        {"image/gif", gif_end},
    {"image/avif", still_boxes_end}, {"image/heic", still_boxes_end}, {"image/heif", still_boxes_end},
};

}  // namespace

Result<MediaEnd> media_end_of(File &file, const MediaContainer &container) {
  const auto size = file.size();
  if (!size) return size.error();
  for (const EndCheck &entry : kChecks)
    if (entry.media_type == container.media_type) {
      MediaBytes bytes(file, *size);
      const MediaEnd end = entry.check(bytes);
      return bytes.error() ? Result<MediaEnd>(*bytes.error()) : Result<MediaEnd>(end);
    }
  return MediaEnd::unknown;
}

}  // namespace genclip
