// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads only as much of each format as tells the size of the picture.
#include "plugin/base/image_size.h"

#include <algorithm>
#include <string>
#include <utility>

namespace genclip {
namespace {

enum class Order { little, big };

// Zero beyond the end; no valid field here is zero.
uint64_t number(std::string_view bytes, size_t offset, size_t size, Order order) {
  if (bytes.size() < size || offset > bytes.size() - size) return 0;
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = order == Order::big ? i : size - 1 - i;
    value = value << 8 | static_cast<uint8_t>(bytes[offset + at]);
  }
  return value;
}

std::optional<ImageSize> size_if_any(uint64_t width, uint64_t height) {
  if (width == 0 || height == 0 || width > UINT32_MAX || height > UINT32_MAX) return std::nullopt;
  return ImageSize{static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
}

std::optional<ImageSize> gif_size(const ReadRange &read) {
  const std::string head = read(0, 10);
  if (!head.starts_with("GIF")) return std::nullopt;
  return size_if_any(number(head, 6, 2, Order::little), number(head, 8, 2, Order::little));
}

std::optional<ImageSize> bmp_size(const ReadRange &read) {
  constexpr uint64_t kOldHeader = 12;
  const std::string head = read(0, 26);
  if (!head.starts_with("BM")) return std::nullopt;
  if (number(head, 14, 4, Order::little) == kOldHeader)
    return size_if_any(number(head, 18, 2, Order::little), number(head, 20, 2, Order::little));
  // Negative for a picture that is stored from its top row.
  const auto height = static_cast<int32_t>(number(head, 22, 4, Order::little));
  return size_if_any(number(head, 18, 4, Order::little),
                     static_cast<uint64_t>(height < 0 ? -int64_t{height} : int64_t{height}));
}

constexpr size_t kTiffEntry = 12;

struct TiffHead {
  Order order;
  uint64_t directory;  // Where that of the first page begins.
};

std::optional<TiffHead> tiff_head(const ReadRange &read) {
  constexpr uint64_t kTiff = 42;
  const std::string head = read(0, 8);
  if (!head.starts_with("II") && !head.starts_with("MM")) return std::nullopt;
  const Order order = head[0] == 'M' ? Order::big : Order::little;
  if (number(head, 2, 2, order) != kTiff) return std::nullopt;
  return TiffHead{order, number(head, 4, 4, order)};
}

// The first page's.
std::optional<ImageSize> tiff_size(const ReadRange &read) {
  constexpr uint64_t kWidthTag = 256;
  constexpr uint64_t kHeightTag = 257;
  constexpr uint64_t kShort = 3;
  constexpr uint64_t kLong = 4;
  const auto head = tiff_head(read);
  if (!head) return std::nullopt;
  const auto [order, directory] = *head;
  const auto count = static_cast<size_t>(number(read(directory, 2), 0, 2, order));
  const std::string entries = read(directory + 2, count * kTiffEntry);
  uint64_t width = 0;
  uint64_t height = 0;
  for (size_t at = 0; at + kTiffEntry <= entries.size(); at += kTiffEntry) {
    const uint64_t type = number(entries, at + 2, 2, order);
    if (type != kShort && type != kLong) continue;
    const uint64_t value = number(entries, at + 8, type == kShort ? 2 : 4, order);
    const uint64_t tag = number(entries, at, 2, order);
    // Of a tag that comes twice, one decoder takes the first and another one the last.
    if (tag == kWidthTag) width = std::max(width, value);
    if (tag == kHeightTag) height = std::max(height, value);
  }
  return size_if_any(width, height);
}

struct Webp {
  std::optional<ImageSize> size;
  bool is_animation = false;
};

// Of an animation and of a still with metadata, that of the canvas.
Webp read_webp(const ReadRange &read) {
  constexpr size_t kFlags = 20, kWidth = 24, kHeight = 27;  // VP8X.
  constexpr uint64_t kAnimated = 2;
  constexpr size_t kSides = 21;  // VP8L: of 14 bits each.
  constexpr size_t kLossyWidth = 26, kLossyHeight = 28;
  constexpr uint64_t k14Bits = 0x3fff;
  const std::string head = read(0, 30);
  if (head.size() < 16 || !head.starts_with("RIFF")) return {};
  const auto little = [&](size_t offset, size_t size) { return number(head, offset, size, Order::little); };
  const std::string_view kind = std::string_view(head).substr(8, 8);
  if (kind == "WEBPVP8X")
    return {size_if_any(little(kWidth, 3) + 1, little(kHeight, 3) + 1), (little(kFlags, 1) & kAnimated) != 0};
  if (kind == "WEBPVP8L")
    return {size_if_any((little(kSides, 4) & k14Bits) + 1, (little(kSides, 4) >> 14 & k14Bits) + 1)};
  if (kind == "WEBPVP8 ")
    return {size_if_any(little(kLossyWidth, 2) & k14Bits, little(kLossyHeight, 2) & k14Bits)};
  return {};
}

// GStreamer decodes stills of this format, and takes an animation for a damaged file.
std::optional<ImageSize> animation_size(const ReadRange &read) {
  const Webp webp = read_webp(read);
  return webp.is_animation ? webp.size : std::nullopt;
}

// A walk over the boxes of an ISO media file. Of several sizes (tiles, thumbnails, the whole) the whole is
// the largest.
class IsoBoxes {
 public:
  explicit IsoBoxes(const ReadRange &read) : read_(read) {}

  std::optional<ImageSize> size() {
    walk(0, UINT64_MAX, {});
    return size_if_any(width_, height_);
  }

 private:
  // Enough for any honest file.
  static constexpr unsigned kMaxBoxes = 10000;

  // Boxes from `at` to `end` that lie in `parent`.
  void walk(uint64_t at, uint64_t end, std::string_view parent) {
    while (at < end && ++boxes_ < kMaxBoxes) {
      const std::string head = read_(at, 16);
      if (head.size() < 8) return;
      uint64_t length = number(head, 0, 4, Order::big);
      uint64_t header = 8;
      if (length == 1) {
        length = number(head, 8, 8, Order::big);
        header = 16;
      }
      if (length == 0) length = end - at;
      if (length < header || length > end - at) return;
      enter(std::string_view(head).substr(4, 4), parent, at + header, at + length);
      at += length;
    }
  }

  void enter(std::string_view box, std::string_view parent, uint64_t begin, uint64_t end) {
    constexpr uint64_t kFullBox = 4;  // Version and flags.
    if (parent.empty() && box == "meta") return walk(begin + kFullBox, end, "meta");
    if (parent == "meta" && box == "iprp") return walk(begin, end, "iprp");
    if (parent == "iprp" && box == "ipco") return walk(begin, end, "ipco");
    if (parent != "ipco" || box != "ispe") return;
    const std::string body = read_(begin, 12);
    const uint64_t width = number(body, 4, 4, Order::big);
    const uint64_t height = number(body, 8, 4, Order::big);
    if (width * height <= width_ * height_) return;
    width_ = width;
    height_ = height;
  }

  const ReadRange &read_;
  unsigned boxes_ = 0;
  uint64_t width_ = 0;
  uint64_t height_ = 0;
};

std::optional<ImageSize> heif_size(const ReadRange &read) { return IsoBoxes(read).size(); }

struct Reader {
  std::string_view format;
  std::optional<ImageSize> (*read)(const ReadRange &);
};

constexpr Reader kReaders[] = {{"bmp", bmp_size},        {"gif", gif_size},   {"tiff", tiff_size},
                               {"webp", animation_size}, {"heic", heif_size}, {"heif", heif_size},
                               {"avif", heif_size}};

}  // namespace

std::optional<ImageSize> image_size(std::string_view format, const ReadRange &read) {
  const auto reader = std::find_if(std::begin(kReaders), std::end(kReaders),
                                   [&](const Reader &reader) { return reader.format == format; });
  return reader == std::end(kReaders) ? std::nullopt : reader->read(read);
}

std::optional<ImageSize> size_by_opening(const ReadRange &read) {
  if (const auto size = gif_size(read)) return size;
  if (const auto size = tiff_size(read)) return size;
  return read_webp(read).size;
}

// Of the most entries that a directory may have.
constexpr size_t kMostDirectory = 2 + size_t{UINT16_MAX} * kTiffEntry;

std::optional<ImageSize> SizeByOpening::take(std::string_view bytes) {
  const uint64_t begin = std::exchange(passed_, passed_ + bytes.size());
  if (begin == 0) {
    head_ = bytes;
    const auto tiff = tiff_head([this](uint64_t offset, size_t size) { return read(offset, size); });
    if (tiff) directory_at_ = std::max<uint64_t>(tiff->directory, head_.size());
  } else if (directory_at_ < passed_ && may_come()) {
    const size_t skipped = directory_at_ > begin ? directory_at_ - begin : 0;
    directory_ += bytes.substr(skipped, kMostDirectory - directory_.size());
  }
  const ReadRange known = [this](uint64_t offset, size_t size) { return read(offset, size); };
  // Half of a directory may hold a small size, and the rest a large one.
  if (const auto tiff = tiff_head(known); tiff && may_come()) {
    const size_t entries = number(read(tiff->directory, 2), 0, 2, tiff->order) * kTiffEntry;
    if (read(tiff->directory + 2, entries).size() < entries) return std::nullopt;
  }
  return size_by_opening(known);
}

bool SizeByOpening::may_come() const { return directory_at_ > 0 && directory_.size() < kMostDirectory; }

std::string SizeByOpening::read(uint64_t offset, size_t size) const {
  std::string bytes = offset < head_.size() ? head_.substr(offset, size) : "";
  const uint64_t next = offset + bytes.size();
  if (bytes.size() < size && next >= directory_at_ && next - directory_at_ < directory_.size())
    bytes += directory_.substr(next - directory_at_, size - bytes.size());
  return bytes;
}

}  // namespace genclip
