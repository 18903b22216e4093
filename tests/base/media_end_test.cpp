// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is all there of a medium. tests/media_check asks the same of files that encoders write.
#include "plugin/base/media_end.h"

#include <gtest/gtest.h>

#include <fstream>
#include <ostream>
#include <string>
#include <utility>

#include "tests/support/sample_clip.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip {

std::ostream &operator<<(std::ostream &out, const MediaExtent &extent) {
  return out << "{" << static_cast<int>(extent.end) << ", " << extent.least << "}";
}

namespace test {
namespace {

using namespace std::string_literals;

MediaExtent extent_of(const std::string &bytes, const std::string &media_type = "video/mp4") {
  return media_extent(media_type, bytes.size(), [&](uint64_t offset, size_t size) {
    return offset < bytes.size() ? bytes.substr(static_cast<size_t>(offset), size) : std::string();
  });
}

MediaEnd end_of(const std::string &bytes, const std::string &media_type = "video/mp4") {
  return extent_of(bytes, media_type).end;
}

MediaExtent cut_before(uint64_t least) { return {MediaEnd::cut, least}; }

std::string number(uint64_t value, int size, bool is_big_endian) {
  std::string bytes;
  for (int i = 0; i < size; ++i)
    bytes += static_cast<char>(value >> 8 * (is_big_endian ? size - 1 - i : i) & 0xff);
  return bytes;
}
std::string big(uint64_t value, int size) { return number(value, size, true); }
std::string little(uint64_t value, int size) { return number(value, size, false); }

// A box of an MP4 or of a still.
std::string box_of(const std::string &type, const std::string &content) {
  return big(8 + content.size(), 4) + type + content;
}

std::string brands(const std::string &major, const std::string &compatible) {
  return box_of("ftyp", major + std::string(4, '\0') + compatible);
}

TEST(MediaEnd, OfAnMp4IsWhereItsBoxesEnd) {
  const std::string whole = sample_mp4(1000);
  EXPECT_EQ(end_of(whole), MediaEnd::whole);
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_EQ(end_of(whole.substr(0, size)), MediaEnd::cut) << size << " bytes";
  EXPECT_EQ(extent_of(whole.substr(0, 500)), cut_before(1000));
  for (const std::string more : {"x", "1234567", "not a box at all"})
    EXPECT_EQ(end_of(whole + more), MediaEnd::unknown) << "all of it is there, and bytes that are no box";
  EXPECT_EQ(end_of(whole + box_of("free", "abc")), MediaEnd::whole);
  EXPECT_EQ(end_of(whole + box_of("free", "abc").substr(0, 9)), MediaEnd::unknown) << "it plays without";
  EXPECT_EQ(end_of(whole + box_of("mdat", "abc").substr(0, 9)), MediaEnd::cut) << "more frames";
  for (const char *media_type : {"video/quicktime", "video/3gpp", "audio/mp4"})
    EXPECT_EQ(end_of(whole.substr(0, 999), media_type), MediaEnd::cut);
}

TEST(MediaEnd, OfAnMp4InFragmentsIsNotTold) {
  const std::string one = brands("iso5", "iso5") + box_of("moov", std::string(16, '\0')) +
                          box_of("moof", "abcd") + box_of("mdat", "frames");
  EXPECT_EQ(end_of(one), MediaEnd::unknown);
  EXPECT_EQ(end_of(one.substr(0, one.size() - 1)), MediaEnd::cut);
  EXPECT_EQ(end_of(one + box_of("moof", "abcd").substr(0, 10)), MediaEnd::cut);
}

TEST(MediaEnd, OfAStillInBoxesIsWhereTheyEnd) {
  const std::string still =
      brands("avif", "mif1") + box_of("meta", std::string(50, '\0')) + box_of("mdat", "bits");
  for (const char *media_type : {"image/avif", "image/heic", "image/heif", "image/heic-sequence"}) {
    EXPECT_EQ(end_of(still, media_type), MediaEnd::whole);
    EXPECT_EQ(end_of(still + "x", media_type), MediaEnd::unknown);
    EXPECT_EQ(end_of(still.substr(0, still.size() - 1), media_type), MediaEnd::cut);
    EXPECT_EQ(end_of(still.substr(0, 40), media_type), MediaEnd::cut);
  }
  EXPECT_EQ(end_of(sample_mp4(1000), "image/heif-sequence"), MediaEnd::whole)
      << "its index is that of a video";
}

TEST(MediaEnd, OfAnMp4WithoutItsIndexIsMissing) {
  const std::string head(
      "\0\0\0\x10"
      "ftypisom\0\0\0\0",
      16);
  EXPECT_EQ(extent_of(head + box_of("mdat", "abcd")), cut_before(0));
  EXPECT_EQ(extent_of(head + "\0\0\0\0mdatabcd"s), cut_before(0)) << "its frames go on up to the end";
}

TEST(MediaEnd, OfAnMp4MayBeToldByALongBoxOrByNone) {
  const std::string head = sample_mp4(1000).substr(0, 48);
  const std::string whole = head +
                            "\0\0\0\1mdat\0\0\0\0\0\0\0\x14"
                            "abcd"s;
  EXPECT_EQ(end_of(whole), MediaEnd::whole);
  EXPECT_EQ(extent_of(whole.substr(0, whole.size() - 1)), cut_before(whole.size()));
  EXPECT_EQ(end_of(head + "\0\0\0\0mdatanything"s), MediaEnd::unknown) << "it may go on";
  EXPECT_EQ(extent_of(head + "\0\0\0\1mdat\xff\xff\xff\xff\xff\xff\xff\xff"s), cut_before(0));
  EXPECT_EQ(extent_of(head + "\0\0\0\3mdat"s), cut_before(0));
  EXPECT_EQ(end_of(head + "\0\0\0\1mdat\0\0\0\0\0\0\0\x08"s), MediaEnd::cut)
      << "no box is smaller than its own header";
}

TEST(MediaEnd, OfAPngIsItsLastChunk) {
  const std::string png = "\x89PNG\r\n\x1a\n" + big(4, 4) + "IDATbitssum!" + big(0, 4) + "IENDsum!";
  EXPECT_EQ(end_of(png, "image/png"), MediaEnd::whole);
  EXPECT_EQ(end_of(png + "x", "image/png"), MediaEnd::unknown);
  for (size_t size = 0; size < png.size(); ++size)
    ASSERT_EQ(end_of(png.substr(0, size), "image/png"), MediaEnd::cut) << size << " bytes";
  EXPECT_EQ(extent_of(png.substr(0, 20), "image/png"), cut_before(png.size()));
}

// Two images of one pixel, an extension, and tables of colours.
TEST(MediaEnd, OfAGifIsWhereItsBlocksEnd) {
  const std::string image("\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0", 15);
  const std::string with_table(
      "\x2c\0\0\0\0\1\0\1\0\x80"
      ";;;;;;"
      "\2\2\x44\1\0",
      21);
  const std::string extension("!\xf9\4;;;;\0", 8);
  const std::string head = "GIF89a\1\0\1\0\x80\0\0;;;;;;"s + extension;
  const std::string gif = head + image + with_table + ";";
  EXPECT_EQ(end_of(gif, "image/gif"), MediaEnd::whole);
  EXPECT_EQ(end_of(gif + "x", "image/gif"), MediaEnd::unknown);
  for (size_t size = 0; size < gif.size(); ++size) {
    const bool has_whole_images = size == head.size() + image.size() || size == gif.size() - 1;
    ASSERT_EQ(end_of(gif.substr(0, size), "image/gif"), has_whole_images ? MediaEnd::open : MediaEnd::cut)
        << size << " bytes";
  }
  EXPECT_EQ(end_of(gif.substr(0, gif.size() - 1) + "\0\0"s, "image/gif"), MediaEnd::open) << "padding";
}

TEST(MediaEnd, OfAJpegIsBehindItsLastScan) {
  // A thumbnail with an end of its own, two scans with restarts and FF in their data.
  const std::string head(
      "\xff\xd8\xff\xe1\0\x08\xff\xd8\xff\xd9"
      "ab"
      "\xff\xff\xdb\0\4qq",
      19);
  const std::string scan(
      "\xff\xda\0\4ss"
      "data\xff\0more\xff\xd3more",
      21);
  const std::string jpeg = head + scan + scan + "\xff\xd9";
  EXPECT_EQ(end_of(jpeg, "image/jpeg"), MediaEnd::whole);
  EXPECT_EQ(end_of(jpeg + "x", "image/jpeg"), MediaEnd::unknown);
  for (size_t size = 0; size < jpeg.size(); ++size)
    ASSERT_EQ(extent_of(jpeg.substr(0, size), "image/jpeg"), cut_before(0)) << size << " bytes";
  const std::string junk = head + "junk" + scan + "\xff\xd9";
  EXPECT_EQ(end_of(junk, "image/jpeg"), MediaEnd::whole) << "decoders skip to the next mark";
  EXPECT_EQ(end_of(junk + "a video", "image/jpeg"), MediaEnd::unknown);
}

TEST(MediaEnd, OfARiffIsWhereItSays) {
  const std::string body = "WEBPVP8 " + little(4, 4) + "bits";
  const std::string webp = "RIFF" + little(body.size(), 4) + body;
  for (const char *media_type : {"image/webp", "video/x-msvideo"}) {
    EXPECT_EQ(end_of(webp, media_type), MediaEnd::whole);
    EXPECT_EQ(end_of(webp + "more", media_type), MediaEnd::whole);
    for (size_t size = 0; size < webp.size(); ++size)
      ASSERT_EQ(end_of(webp.substr(0, size), media_type), MediaEnd::cut) << size << " bytes";
    EXPECT_EQ(extent_of(webp.substr(0, 20), media_type), cut_before(webp.size()));
    EXPECT_EQ(end_of("RIFF\xff\xff\xff\xff" + body, media_type), MediaEnd::unknown);
  }
  EXPECT_EQ(end_of("RIFF" + little(0, 4) + body, "image/webp"), MediaEnd::cut)
      << "decoders wait for the rest";
  EXPECT_EQ(end_of("RIFF" + little(0, 4) + body, "video/x-msvideo"), MediaEnd::whole);
}

TEST(MediaEnd, OfAWaveIsThatOfItsSound) {
  const auto wave = [](uint64_t all, uint64_t told, size_t has) {
    return "RIFF" + little(all, 4) + "WAVEfmt " + little(16, 4) + std::string(16, 'f') + "LIST" +
           little(3, 4) + "odd\0data"s + little(told, 4) + std::string(has, 's');
  };
  const size_t head = wave(0, 0, 0).size();
  EXPECT_EQ(end_of(wave(head + 1000 - 8, 1000, 1000), "audio/x-wav"), MediaEnd::unknown);
  EXPECT_EQ(extent_of(wave(head + 1000 - 8, 1000, 900), "audio/x-wav"), cut_before(head + 1000));
  EXPECT_EQ(end_of(wave(head + 1000, 1000, 1000), "audio/x-wav"), MediaEnd::unknown)
      << "all of the file counted";
  EXPECT_EQ(end_of(wave(head + 1000, head + 1000, 1000), "audio/x-wav"), MediaEnd::unknown)
      << "its head counted";
  for (const uint64_t none : {0xffffffffu, 0x7fffffffu, 0x7ffff000u, 0u})
    EXPECT_EQ(end_of(wave(none, none, 1000), "audio/x-wav"), MediaEnd::unknown) << "written into a pipe";
  EXPECT_EQ(end_of("RIFF", "audio/x-wav"), MediaEnd::unknown);
}

TEST(MediaEnd, OfABmpIsThatOfItsRows) {
  const auto bmp = [](uint32_t height, uint32_t compression, size_t has) {
    return "BM" + little(0, 8) + little(54, 4) + little(40, 4) + little(3, 4) + little(height, 4) +
           little(1, 2) + little(24, 2) + little(compression, 4) + std::string(20, '\0') +
           std::string(has, 'p');
  };
  // Three pixels of three bytes, padded to twelve.
  for (const uint32_t height : {4u, static_cast<uint32_t>(-4)}) {
    EXPECT_EQ(end_of(bmp(height, 0, 48), "image/bmp"), MediaEnd::unknown);
    EXPECT_EQ(end_of(bmp(height, 0, 45), "image/bmp"), MediaEnd::unknown) << "the last row is not padded";
    EXPECT_EQ(extent_of(bmp(height, 0, 44), "image/bmp"), cut_before(54 + 45));
    EXPECT_EQ(end_of(bmp(height, 1, 10), "image/bmp"), MediaEnd::unknown) << "compressed";
  }
  EXPECT_EQ(end_of(bmp(0x80000000, 0, 44), "image/bmp"), MediaEnd::unknown) << "no such picture";
  EXPECT_EQ(end_of(bmp(4, 0, 48).substr(0, 20), "image/bmp"), MediaEnd::cut);
  const std::string old = "BM" + little(0, 8) + little(26, 4) + little(12, 4) + little(3, 2) + little(2, 2) +
                          little(1, 2) + little(24, 2);
  EXPECT_EQ(end_of(old + std::string(21, 'p'), "image/bmp"), MediaEnd::unknown);
  EXPECT_EQ(extent_of(old + std::string(20, 'p'), "image/bmp"), cut_before(26 + 21));
}

TEST(MediaEnd, OfATiffIsNotBeforeItsListAndItsStrips) {
  for (const bool is_big_endian : {false, true}) {
    const auto n = [=](uint64_t value, int size) { return number(value, size, is_big_endian); };
    const std::string head = (is_big_endian ? "MM" : "II") + n(42, 2);
    // One strip at 8, then the list.
    const std::string last =
        head + n(12, 4) + "bits" + n(1, 2) + n(273, 2) + n(4, 2) + n(1, 4) + n(8, 4) + n(0, 4);
    EXPECT_EQ(end_of(last, "image/tiff"), MediaEnd::unknown);
    EXPECT_EQ(extent_of(last.substr(0, 10), "image/tiff"), cut_before(14));
    EXPECT_EQ(extent_of(last.substr(0, 20), "image/tiff"), cut_before(26));
    const std::string first = head + n(8, 4) + n(1, 2) + n(273, 2) + n(3, 2) + n(2, 4) + n(26, 4) + n(0, 4);
    // The list, then the places of two tiles, and these.
    const std::string far = head + n(8, 4) + n(1, 2) + n(324, 2) + n(4, 2) + n(2, 4) + n(26, 4) + n(0, 4);
    EXPECT_EQ(end_of(first + std::string(1, 'x') + n(0, 3), "image/tiff"), MediaEnd::unknown);
    EXPECT_EQ(extent_of(far + n(34, 4) + n(38, 4) + "bits", "image/tiff"), cut_before(39));
    EXPECT_EQ(end_of(far + n(34, 4) + n(38, 4) + "bitsb", "image/tiff"), MediaEnd::unknown);
    EXPECT_EQ(extent_of(far + n(34, 4), "image/tiff"), cut_before(34));
  }
}

TEST(MediaEnd, OfAnMp3IsToldByItsFirstFrame) {
  const std::string tag = "ID3\4\0\0"s + "\0\0\1\4"s + std::string(132, 't');
  const auto mp3 = [](const std::string &head, size_t side, const std::string &table, size_t size) {
    std::string bytes = head + std::string(side, '\0') + table;
    bytes.resize(size, 'm');
    return bytes;
  };
  const std::string all = "Xing" + big(3, 4) + big(9, 4) + big(500, 4);
  const struct {
    std::string head;
    size_t side;
  } kinds[] = {
      {"\xff\xfb\x90\0"s, 32}, {"\xff\xfb\x90\xc0"s, 17}, {"\xff\xf3\x90\0"s, 17}, {"\xff\xe3\x90\xc0"s, 9}};
  for (const auto &[head, side] : kinds)
    for (const std::string &before : {std::string(), tag}) {
      const std::string whole = before + mp3(head, side, all, 500);
      EXPECT_EQ(end_of(whole, "audio/mpeg"), MediaEnd::unknown);
      EXPECT_EQ(end_of(whole + "TAG", "audio/mpeg"), MediaEnd::unknown);
      EXPECT_EQ(extent_of(whole.substr(0, whole.size() - 1), "audio/mpeg"), cut_before(whole.size()));
    }
  const auto &[head, side] = kinds[0];
  EXPECT_EQ(end_of(mp3(head, side, "Info" + big(2, 4) + big(501, 4), 500), "audio/mpeg"), MediaEnd::cut);
  EXPECT_EQ(end_of(mp3(head, side, "Info" + big(1, 4) + big(501, 4), 500), "audio/mpeg"), MediaEnd::unknown);
  EXPECT_EQ(end_of(mp3(head, side, "none", 500), "audio/mpeg"), MediaEnd::unknown);
  EXPECT_EQ(extent_of(tag.substr(0, 100), "audio/mpeg"), cut_before(tag.size()));
}

TEST(MediaEnd, OfAnOggIsThatOfItsLastPage) {
  const auto page = [](size_t bytes) {
    return "OggS" + std::string(22, '\0') + '\2' + '\xff' + static_cast<char>(bytes) +
           std::string(255 + bytes, 'o');
  };
  const std::string ogg = page(10) + page(20);
  EXPECT_EQ(end_of(ogg, "application/ogg"), MediaEnd::unknown);
  EXPECT_EQ(end_of(page(10), "application/ogg"), MediaEnd::unknown) << "as a recording ends";
  EXPECT_EQ(end_of(ogg + "junk", "application/ogg"), MediaEnd::unknown);
  for (size_t size = page(10).size() + 4; size < ogg.size(); ++size)
    ASSERT_EQ(end_of(ogg.substr(0, size), "application/ogg"), MediaEnd::cut) << size << " bytes";
  EXPECT_EQ(extent_of(ogg.substr(0, 500), "application/ogg"), cut_before(ogg.size()));
}

TEST(MediaEnd, OfAMatroskaIsThatOfItsSegment) {
  const std::string head =
      "\x1a\x45\xdf\xa3\x84"
      "webm\x18\x53\x80\x67"s;
  for (const std::string &length : {"\x84"s, "\x40\4"s, "\1\0\0\0\0\0\0\4"s})
    for (const char *media_type : {"video/webm", "audio/x-matroska"}) {
      const std::string whole = head + length + "bits";
      EXPECT_EQ(end_of(whole, media_type), MediaEnd::whole);
      EXPECT_EQ(end_of(whole + "x", media_type), MediaEnd::unknown);
      EXPECT_EQ(extent_of(whole.substr(0, whole.size() - 1), media_type), cut_before(whole.size()));
    }
  for (const std::string &none : {"\xff"s, "\1\xff\xff\xff\xff\xff\xff\xff"s, "\0"s})
    EXPECT_EQ(end_of(head + none + "bits", "video/webm"), MediaEnd::unknown) << "written live";
  EXPECT_EQ(end_of("anything", "video/webm"), MediaEnd::unknown);
}

TEST(MediaEnd, OfOtherKindsIsNotTold) {
  for (const char *media_type : {"audio/flac", "audio/aac", "text/html", ""})
    EXPECT_EQ(end_of("anything", media_type), MediaEnd::unknown);
}

TEST(MediaEnd, IsUnknownOfWhatCannotBeRead) {
  for (const char *media_type : {"video/mp4", "image/png", "image/jpeg", "image/gif", "application/ogg"}) {
    unsigned reads = 0;
    const auto read = [&](uint64_t, size_t) {
      ++reads;
      return std::string();
    };
    EXPECT_EQ(media_extent(media_type, uint64_t{1} << 20, read).end, MediaEnd::unknown);
    EXPECT_EQ(reads, 1u) << "a file that shrinks is given up at once";
  }
}

TEST(MediaEnd, OfAClipIsCutWhereItIsNotMarked) {
  const TemporaryFolder folder;
  const auto clip_end = [&](const std::string &bytes, const std::string &media_type) {
    std::ofstream(folder.file("clip"), std::ios::binary) << bytes;
    const auto file = taken(FileSystem::posix().open(folder.file("clip"), FileSystem::Mode::read));
    return taken(clip_end_of(*file, media_type));
  };
  const std::string gif = "GIF89a\1\0\1\0\0\0\0\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"s;
  EXPECT_EQ(clip_end(gif, "image/gif"), MediaEnd::cut);
  EXPECT_EQ(clip_end(gif + ";", "image/gif"), MediaEnd::whole);
  EXPECT_EQ(clip_end(sample_mp4(50'000), "video/mp4"), MediaEnd::whole);
  EXPECT_EQ(clip_end(sample_mp4(50'000).substr(0, 49'999), "video/mp4"), MediaEnd::cut);
}

}  // namespace
}  // namespace test
}  // namespace genclip
