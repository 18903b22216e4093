// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real files of the formats with an installed encoder, hand-made files of the others, and arbitrary bytes.
#include "plugin/base/image_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/media_check/media_files.h"
#include "tests/support/seed.h"

namespace genclip::test {
namespace {

ReadRange reader_of(const std::string &bytes) {
  return [&bytes](uint64_t offset, size_t size) {
    return offset >= bytes.size() ? std::string() : bytes.substr(offset, size);
  };
}

std::string big(uint64_t value, int size) {
  std::string bytes;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    bytes += shift < 64 ? static_cast<char>(value >> shift & 0xff) : '\0';
  return bytes;
}

std::string box(const std::string &name, const std::string &body) {
  return big(body.size() + 8, 4) + name + body;
}

std::string ispe(uint32_t width, uint32_t height) {
  return box("ispe", big(0, 4) + big(width, 4) + big(height, 4));
}

std::string heic(const std::string &properties) {
  return box("ftyp", "heic" + big(0, 4) + "mif1") +
         box("meta", big(0, 4) + box("hdlr", big(0, 20)) + box("iprp", box("ipco", properties))) +
         box("mdat", "pixels");
}

TEST(ImageSize, IsReadFromRealFiles) {
  EXPECT_EQ(image_size("bmp", reader_of(image_file("avenc_bmp", 640, 482))), (ImageSize{640, 482}));
  EXPECT_EQ(image_size("tiff", reader_of(image_file("avenc_tiff", 641, 480))), (ImageSize{641, 480}));
}

TEST(ImageSize, IsReadFromAGif) {
  EXPECT_EQ(image_size("gif", reader_of(std::string("GIF89a\x40\x01\xf0\x00", 10))), (ImageSize{320, 240}));
}

TEST(ImageSize, OfAWebpIsReadFromAnAnimation) {
  const std::string animation = webp_animation(640, 482), still = image_file("webpenc", 640, 482);
  EXPECT_EQ(image_size("webp", reader_of(animation)), (ImageSize{640, 482}));
  EXPECT_EQ(image_size("webp", reader_of(still)), std::nullopt) << "GStreamer's to measure";
}

TEST(ImageSize, IsReadFromTheOpening) {
  const auto read = [](const std::string &bytes) { return size_by_opening(reader_of(bytes)); };
  EXPECT_EQ(read(std::string("GIF89a\x40\x01\xf0\x00", 10)), (ImageSize{320, 240}));
  EXPECT_EQ(read(image_file("avenc_tiff", 641, 480)), (ImageSize{641, 480}));
  EXPECT_EQ(read(image_file("webpenc", 640, 482)), (ImageSize{640, 482}));
  EXPECT_EQ(read(image_file("webpenc lossless=true", 643, 482)), (ImageSize{643, 482}));
  EXPECT_EQ(read(webp_animation(640, 482)), (ImageSize{640, 482}));
  const std::string head = "RIFF" + big(0, 4) + "WEBP";
  EXPECT_EQ(read(head + "VP8X" + big(0, 8) + "\xff\xff\xff\x01\x02\x03"), (ImageSize{1 << 24, 0x30202}));
  EXPECT_EQ(read(head + "VP8L" + big(0, 4) + "/\xff\xff\xff\x0f"), (ImageSize{16384, 16384}));
  EXPECT_EQ(read(head + "VP8L" + big(0, 4) + "/\xff"), (ImageSize{1, 1})) << "cut, and small in any case";
  for (const std::string &other :
       {image_file("pngenc", 64, 64), image_file("avenc_bmp", 64, 64), std::string(),
        std::string("II\x2b\0", 4) + big(0, 20), head, head.substr(0, 6), "RIFF" + big(0, 4) + "AVI "})
    EXPECT_EQ(read(other), std::nullopt);
}

TEST(ImageSize, OfABmpFromTheTopIsPositive) {
  std::string bmp = "BM" + std::string(12, '\0') + std::string("\x28\0\0\0", 4) +
                    std::string("\x40\x01\0\0", 4) + std::string("\x10\xff\xff\xff", 4);
  EXPECT_EQ(image_size("bmp", reader_of(bmp)), (ImageSize{320, 240}));
}

TEST(ImageSize, OfATiffIsFoundAtItsEndAndInBothByteOrders) {
  const auto entry = [](uint64_t tag, uint64_t value) {
    return big(tag, 2) + big(3, 2) + big(1, 4) + big(value, 2) + big(0, 2);
  };
  const std::string tiff = std::string("MM\0*", 4) + big(1008, 4) + std::string(1000, 'x') + big(2, 2) +
                           entry(256, 700) + entry(257, 500);
  EXPECT_EQ(image_size("tiff", reader_of(tiff)), (ImageSize{700, 500}));
}

TEST(ImageSize, OfAHeicIsThatOfTheWholeAndNotOfATile) {
  EXPECT_EQ(image_size("heic", reader_of(heic(ispe(512, 512) + ispe(4032, 3024) + ispe(320, 240)))),
            (ImageSize{4032, 3024}));
  EXPECT_EQ(image_size("heif", reader_of(heic(box("colr", "nclx") + ispe(800, 600)))), (ImageSize{800, 600}));
}

TEST(ImageSize, IsUnknownWhereItIsNotSaid) {
  EXPECT_EQ(image_size("heic", reader_of(heic(""))), std::nullopt);
  EXPECT_EQ(image_size("heic", reader_of(box("moov", heic(ispe(8, 8))))), std::nullopt);
  EXPECT_EQ(image_size("png", reader_of(image_file("pngenc", 64, 64))), std::nullopt)
      << "GStreamer's to measure";
  EXPECT_EQ(image_size("gif", reader_of("GIF")), std::nullopt);
}

// The encoder writes the directory behind the pixels, as most programs do.
TEST(ImageSize, OfATiffComesWithItsDirectory) {
  const std::string bytes = image_file("avenc_tiff", 641, 480);
  for (const size_t block : {bytes.size(), size_t{4096}, size_t{1000}, size_t{8}}) {
    SizeByOpening opening;
    std::optional<ImageSize> size;
    for (size_t at = 0; at < bytes.size() && !size; at += block) {
      size = opening.take(std::string_view(bytes).substr(at, block));
      EXPECT_TRUE(size || opening.may_come()) << at;
    }
    EXPECT_EQ(size, (ImageSize{641, 480})) << block;
  }
  SizeByOpening other;
  EXPECT_EQ(other.take(image_file("avenc_bmp", 8, 8)), std::nullopt);
  EXPECT_FALSE(other.may_come());
}

TEST(ImageSize, SurvivesAnyBytes) {
  const unsigned seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string good[] = {heic(ispe(512, 512) + ispe(4032, 3024)), image_file("avenc_bmp", 8, 8),
                              image_file("avenc_tiff", 8, 8), std::string("GIF89a\x40\x01\xf0\x00", 10),
                              webp_animation(64, 64)};
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good[random() % std::size(good)];
    for (unsigned changes = random() % 8; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    bytes.resize(random() % (bytes.size() + 1));
    for (const char *format : {"bmp", "gif", "tiff", "heic"}) {
      const auto size = image_size(format, reader_of(bytes));
      EXPECT_TRUE(!size || (size->width > 0 && size->height > 0)) << format;
    }
    const auto size = size_by_opening(reader_of(bytes));
    EXPECT_TRUE(!size || (size->width > 0 && size->height > 0));
  }
  const std::string endless = std::string(100000, '\0') + "x";
  EXPECT_EQ(image_size("heic", reader_of(endless)), std::nullopt);
}

}  // namespace
}  // namespace genclip::test
