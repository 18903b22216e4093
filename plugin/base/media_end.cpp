// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Formats that say how long they are, and formats that mark their end. What writers are known to get wrong is
// no cut. A missing mark of the end is one, even where decoders can do without it: nothing else tells half of
// such a picture from a whole one.
#include "plugin/base/media_end.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "plugin/base/number.h"

namespace genclip {
namespace {

constexpr MediaExtent kUnknown{MediaEnd::unknown}, kWhole{MediaEnd::whole}, kOpen{MediaEnd::open},
    kCut{MediaEnd::cut};

MediaExtent cut_before(uint64_t least) { return {MediaEnd::cut, least}; }

// Reads the file byte by byte through a buffer.
class MediaBytes {
 public:
  MediaBytes(uint64_t size, const ReadRange &read) : size_(size), read_(read) {}

  // 0 after a range could not be read, which ends every search.
  uint64_t size() const { return size_; }
  bool has_failed() const { return has_failed_; }

  // The byte at that offset; 0 behind the end.
  uint8_t at(uint64_t offset) {
    if (offset >= size_) return 0;
    if (offset < begin_ || offset - begin_ >= window_.size()) fill(offset);
    return offset - begin_ < window_.size()
               ? static_cast<uint8_t>(window_[static_cast<size_t>(offset - begin_)])
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

  // The media end there. Bytes that follow may be a part of something.
  MediaExtent ends_at(uint64_t offset) const {
    if (offset > size_) return cut_before(offset);
    return offset == size_ ? kWhole : kUnknown;
  }

  // At least so many bytes belong to it.
  MediaExtent has_at_least(uint64_t least) const { return least > size_ ? cut_before(least) : kUnknown; }

 private:
  static constexpr size_t kWindow = 16 * 1024;

  void fill(uint64_t offset) {
    begin_ = offset;
    window_ = read_(offset, kWindow);
    if (!window_.empty()) return;
    has_failed_ = true;
    size_ = 0;
  }

  uint64_t size_;
  const ReadRange &read_;
  std::string window_;
  uint64_t begin_ = 0;
  bool has_failed_ = false;
};

// Top-level boxes: a size and a type each; a size of 1 is followed by a long one, 0 means up to the end. A
// clip has an index, and most have frames beside it; of a still, its index may be all. After these two come
// boxes that it plays without, or bytes that are no box; fragments may follow each other for ever.
MediaExtent boxes_end(MediaBytes &bytes, bool is_still) {
  bool has_index = false;
  bool has_frames = is_still;
  bool has_fragments = false;
  for (uint64_t offset = 0; offset < bytes.size();) {
    const bool is_enough = has_index && has_frames;
    const uint64_t rest = bytes.size() - offset;
    if (rest < 8) return is_enough ? kUnknown : kCut;
    const uint64_t short_size = bytes.big_endian(offset, 4);
    const bool is_long = short_size == 1;
    const uint64_t box_size = is_long ? bytes.big_endian(offset + 8, 8) : short_size;
    const std::string type = bytes.word(offset + 4);
    const bool is_index = type == "moov" || (is_still && type == "meta");
    const bool is_vital = is_index || type == "mdat" || type == "moof";
    const bool is_up_to_the_end = short_size == 0;
    if (!is_up_to_the_end && (box_size < (is_long ? 16u : 8u) || box_size > rest)) {
      if (is_enough && !is_vital) return kUnknown;
      const bool is_told = box_size > rest && box_size <= std::numeric_limits<uint64_t>::max() - offset;
      return is_told ? cut_before(offset + box_size) : kCut;
    }
    has_index = has_index || is_index;
    has_frames = has_frames || type == "mdat";
    has_fragments = has_fragments || type == "moof";
    if (is_up_to_the_end) return has_index && has_frames ? kUnknown : kCut;
    offset += box_size;
  }
  if (!has_index || !has_frames) return kCut;
  return has_fragments ? kUnknown : kWhole;
}

MediaExtent mp4_end(MediaBytes &bytes) { return boxes_end(bytes, false); }
MediaExtent still_boxes_end(MediaBytes &bytes) { return boxes_end(bytes, true); }

// Chunks: how many bytes, a type, these bytes and a checksum.
MediaExtent png_end(MediaBytes &bytes) {
  constexpr uint64_t kSignature = 8, kEmptyChunk = 12;
  uint64_t offset = kSignature;
  while (offset + kEmptyChunk <= bytes.size()) {
    const bool is_last = bytes.word(offset + 4) == "IEND";
    offset += kEmptyChunk + bytes.big_endian(offset, 4);
    if (is_last) return bytes.ends_at(offset);
  }
  return cut_before(offset + kEmptyChunk);
}

// Segments with a length each, and marks without one. Data of a scan, in which FF is followed by 00 or by a
// mark without a length, and bytes of no use come between them; decoders skip those to the next mark.
MediaExtent jpeg_end(MediaBytes &bytes) {
  constexpr uint8_t kEnd = 0xd9;
  const auto has_no_length = [](uint8_t mark) { return mark < 0xc0 || (mark >= 0xd0 && mark <= 0xd8); };
  for (uint64_t offset = 0; offset + 2 <= bytes.size();) {
    const uint8_t mark = bytes.at(offset + 1);
    if (bytes.at(offset) != 0xff || mark == 0xff) {
      ++offset;
      continue;
    }
    offset += 2;
    if (mark == kEnd) return bytes.ends_at(offset);
    if (!has_no_length(mark)) offset += std::max<uint64_t>(bytes.big_endian(offset, 2), 2);
  }
  return kCut;
}

// A head, a table of colours, then images and extensions, each in blocks of at most 255 bytes, up to a
// semicolon. Decoders show the images also without that.
MediaExtent gif_end(MediaBytes &bytes) {
  const auto colours = [&](uint64_t flags) -> uint64_t {
    const unsigned bits = bytes.at(flags);
    return (bits & 0x80) != 0 ? uint64_t{3} << ((bits & 7) + 1) : 0;
  };
  uint64_t offset = 13 + colours(10);
  bool has_image = false;
  while (offset < bytes.size()) {
    const uint8_t kind = bytes.at(offset);
    if (kind == ';') return bytes.ends_at(offset + 1);
    if (kind != '!' && kind != ',') break;
    offset += kind == '!' ? 2 : 11 + colours(offset + 9);
    while (offset < bytes.size() && bytes.at(offset) != 0) offset += 1 + bytes.at(offset);
    if (offset >= bytes.size()) return cut_before(offset + 1);
    ++offset;
    has_image = has_image || kind == ',';
  }
  return has_image ? kOpen : kCut;
}

// "RIFF", then how much follows, padded to an even length. A writer that cannot go back leaves it unknown.
MediaExtent riff_end(MediaBytes &bytes) {
  constexpr uint64_t kHead = 8, kNoLength = 0xffffffff;
  if (bytes.size() < kHead) return kCut;
  const uint64_t told = bytes.little_endian(4, 4);
  if (told == kNoLength) return kUnknown;
  return kHead + told > bytes.size() ? cut_before(kHead + told) : kWhole;
}

// Without its length, decoders wait for the rest.
MediaExtent webp_end(MediaBytes &bytes) { return bytes.little_endian(4, 4) == 0 ? kCut : riff_end(bytes); }

// Chunks: a type, how many bytes follow, and these. Only the length of the sound is reliable: writers count
// the whole file for what follows "RIFF", and some count the head to the sound. One that cannot go back
// leaves a length that no file has.
MediaExtent wave_end(MediaBytes &bytes) {
  constexpr uint64_t kHead = 12, kChunk = 8, kCountedHead = 64, kNoFileHas = 0x7f000000;
  for (uint64_t offset = kHead; offset + kChunk <= bytes.size();) {
    const uint64_t length = bytes.little_endian(offset + 4, 4);
    const bool is_sound = bytes.word(offset) == "data";
    offset += kChunk;
    if (is_sound) {
      const bool is_cut = length < kNoFileHas && offset + length > bytes.size() + kCountedHead;
      return is_cut ? cut_before(offset + length) : kUnknown;
    }
    offset += length + length % 2;
  }
  return kUnknown;
}

// A head, then rows of four bytes times anything. Only rows that are not compressed tell how many bytes they
// have.
MediaExtent bmp_end(MediaBytes &bytes) {
  constexpr uint64_t kFileHead = 14, kOldHead = 12, kMaskedColours = 3, kMostBits = 32,
                     kLongestSide = 1 << 20;
  if (bytes.size() < kFileHead + kOldHead) return kCut;
  const bool is_old = bytes.little_endian(kFileHead, 4) == kOldHead;
  const unsigned unit = is_old ? 2 : 4;
  const uint64_t width = bytes.little_endian(18, unit);
  uint64_t height = bytes.little_endian(18 + unit, unit);
  // Negative for a picture that is stored from its top row.
  if (!is_old && height > 0x7fffffff) height = 0x100000000 - height;
  const uint64_t bits = bytes.little_endian(is_old ? 24 : 28, 2);
  const uint64_t compression = is_old ? 0 : bytes.little_endian(30, 4);
  if (compression != 0 && compression != kMaskedColours) return kUnknown;
  if (width == 0 || height == 0 || width > kLongestSide || height > kLongestSide || bits > kMostBits)
    return kUnknown;
  const uint64_t row = (width * bits + 31) / 32 * 4;
  // A few writers leave out what pads the last row.
  return bytes.has_at_least(bytes.little_endian(10, 4) + row * (height - 1) + (width * bits + 7) / 8);
}

// A list of entries tells where the parts of the first page begin. Where they end is often wrong.
MediaExtent tiff_end(MediaBytes &bytes) {
  constexpr uint64_t kEntry = 12, kStrips = 273, kTiles = 324, kShort = 3;
  const bool is_big_endian = bytes.at(0) == 'M';
  const auto number = [&](uint64_t offset, unsigned count) {
    return is_big_endian ? bytes.big_endian(offset, count) : bytes.little_endian(offset, count);
  };
  if (number(2, 2) != 42) return kUnknown;
  const uint64_t list = number(4, 4) + 2;
  if (list > bytes.size()) return cut_before(list);
  const uint64_t end = list + kEntry * number(list - 2, 2);
  if (end > bytes.size()) return cut_before(end);
  for (uint64_t entry = list; entry < end; entry += kEntry) {
    const uint64_t tag = number(entry, 2);
    if (tag != kStrips && tag != kTiles) continue;
    const unsigned unit = number(entry + 2, 2) == kShort ? 2 : 4;
    const uint64_t length = unit * number(entry + 4, 4);
    const uint64_t places = length <= 4 ? entry + 8 : number(entry + 8, 4);
    if (places + length > bytes.size()) return cut_before(places + length);
    for (uint64_t at = places; at < places + length; at += unit)
      if (const uint64_t strip = number(at, unit); strip >= bytes.size()) return cut_before(strip + 1);
    break;
  }
  return kUnknown;
}

// Frames, of which the first may hold a table of how many bytes they have. A tag comes before them.
MediaExtent mp3_end(MediaBytes &bytes) {
  constexpr uint64_t kTagHead = 10, kHasFoot = 0x10, kHasFrames = 1, kHasBytes = 2;
  uint64_t offset = 0;
  if (bytes.word(0).starts_with("ID3")) {
    uint64_t tag = 0;
    for (unsigned i = 6; i < kTagHead; ++i) tag = tag << 7 | (bytes.at(i) & 0x7f);
    offset = kTagHead + tag + ((bytes.at(5) & kHasFoot) != 0 ? kTagHead : 0);
    if (offset > bytes.size()) return cut_before(offset);
  }
  const uint64_t head = bytes.big_endian(offset, 4);
  if (head >> 21 != 0x7ff) return kUnknown;
  const bool is_mpeg_1 = (head >> 19 & 3) == 3;
  const bool is_mono = (head >> 6 & 3) == 3;
  const uint64_t table = offset + 4 + (is_mpeg_1 ? (is_mono ? 17 : 32) : (is_mono ? 9 : 17));
  if (bytes.word(table) != "Xing" && bytes.word(table) != "Info") return kUnknown;
  const uint64_t flags = bytes.big_endian(table + 4, 4);
  if ((flags & kHasBytes) == 0) return kUnknown;
  return bytes.has_at_least(offset + bytes.big_endian(table + ((flags & kHasFrames) != 0 ? 12 : 8), 4));
}

// Pages, each with a table of how long its pieces are. A stream that was recorded ends with any of them.
MediaExtent ogg_end(MediaBytes &bytes) {
  constexpr uint64_t kHead = 27;
  uint64_t offset = 0;
  while (bytes.word(offset) == "OggS") {
    const uint64_t pieces = bytes.at(offset + kHead - 1);
    uint64_t end = offset + kHead + pieces;
    for (uint64_t i = 0; i < pieces; ++i) end += bytes.at(offset + kHead + i);
    if (end > bytes.size()) return cut_before(end);
    offset = end;
  }
  return kUnknown;
}

// A head, then a segment with all the rest: an ID and a length each. A live one has no length.
MediaExtent matroska_end(MediaBytes &bytes) {
  constexpr uint64_t kId = 4, kHead = 0x1a45dfa3, kSegment = 0x18538067;
  // The first bit that is set tells how many bytes the length has.
  const auto width_at = [&](uint64_t at) {
    return static_cast<unsigned>(std::countl_zero(bytes.at(at))) + 1;
  };
  const auto mask = [](unsigned width) { return (uint64_t{1} << 7 * width) - 1; };
  const auto length_at = [&](uint64_t at) { return bytes.big_endian(at, width_at(at)) & mask(width_at(at)); };
  if (bytes.big_endian(0, kId) != kHead) return kUnknown;
  const uint64_t segment = kId + width_at(kId) + length_at(kId);
  if (bytes.big_endian(segment, kId) != kSegment) return kUnknown;
  const uint64_t length = length_at(segment + kId);
  const unsigned width = width_at(segment + kId);
  if (width > 8 || length == mask(width)) return kUnknown;
  return bytes.ends_at(segment + kId + width + length);
}

struct EndCheck {
  std::string_view media_type;
  MediaExtent (*check)(MediaBytes &bytes);
};

constexpr EndCheck kChecks[] = {
    {"video/mp4", mp4_end},
    {"video/quicktime", mp4_end},
    {"video/3gpp", mp4_end},
    {"audio/mp4", mp4_end},
    {"video/webm", matroska_end},
    {"audio/webm", matroska_end},
    {"video/x-matroska", matroska_end},
    {"audio/x-matroska", matroska_end},
    {"video/x-msvideo", riff_end},
    {"image/png", png_end},
    {"image/jpeg", jpeg_end},
    {"image/webp", webp_end},
    {"image/gif", gif_end},
    {"image/bmp", bmp_end},
    {"image/tiff", tiff_end},
    {"image/avif", still_boxes_end},
    {"image/heic", still_boxes_end},
    {"image/heic-sequence", still_boxes_end},
    {"image/heif", still_boxes_end},
    {"image/heif-sequence", still_boxes_end},
    {"audio/x-wav", wave_end},
    {"audio/mpeg", mp3_end},
    {"application/ogg", ogg_end},
    {"audio/ogg", ogg_end},
    {"video/ogg", ogg_end},
};

}  // namespace

MediaExtent media_extent(std::string_view media_type, uint64_t size, const ReadRange &read) {
  for (const EndCheck &entry : kChecks)
    if (entry.media_type == media_type) {
      MediaBytes bytes(size, read);
      const MediaExtent extent = entry.check(bytes);
      return bytes.has_failed() ? kUnknown : extent;
    }
  return kUnknown;
}

std::string cut_text(const MediaExtent &extent, uint64_t size) {
  if (extent.least == 0) return "is cut off: its end is missing";
  return "is cut off: it says that it has at least " + counted(std::to_string(extent.least), "byte") +
         ", and has " + std::to_string(size);
}

Result<MediaEnd> clip_end_of(File &file, std::string_view media_type) {
  const auto size = file.size();
  if (!size) return size.error();
  std::optional<Error> error;
  const MediaExtent extent = media_extent(media_type, *size, [&](uint64_t offset, size_t wanted) {
    std::string bytes(wanted, '\0');
    const auto count = file.read_at(offset, std::as_writable_bytes(std::span(bytes)));
    if (!count) error = count.error();
    bytes.resize(count ? *count : 0);
    return bytes;
  });
  if (error) return *error;
  return extent.end == MediaEnd::open ? MediaEnd::cut : extent.end;
}

}  // namespace genclip
