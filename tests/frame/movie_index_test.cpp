// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The index of an MP4 file, also with sizes and counts that lie.
#include "plugin/frame/movie_index.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace genclip {
namespace {

std::string big_endian_bytes(uint64_t value, int size) {
  std::string bytes;
  for (int i = size; i-- > 0;) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

std::string u32(uint64_t value) { return big_endian_bytes(value, 4); }
std::string u64(uint64_t value) { return big_endian_bytes(value, 8); }

std::string box(const std::string &type, const std::string &content) {
  return u32(content.size() + 8) + type + content;
}

constexpr uint32_t kMovieScale = 1000;
constexpr uint32_t kMediaScale = 100;
constexpr uint32_t kEmpty = 0xFFFFFFFF;
constexpr uint32_t kSpeed = 0x10000;

std::string header(const std::string &type, uint32_t timescale, uint32_t duration) {
  return box(type, u32(0) + u32(0) + u32(0) + u32(timescale) + u32(duration));
}

std::string elst(const std::string &rows, uint32_t count) { return box("elst", u32(0) + u32(count) + rows); }

std::string row(uint32_t duration, uint32_t media, uint32_t rate = kSpeed) {
  return u32(duration) + u32(media) + u32(rate);
}

// Four frames of 0.1 s each; the second is displayed after the third.
const std::string kTables =
    box("stts", u32(0) + u32(1) + u32(4) + u32(10)) +
    box("ctts", u32(0) + u32(4) + u32(1) + u32(10) + u32(1) + u32(20) + u32(1) + u32(0) + u32(1) + u32(10)) +
    box("stsz", u32(0) + u32(8) + u32(4));

struct Parts {
  std::string edits;  // Content of "edts".
  std::string tables = kTables;
  std::string more;  // In "moov".
  std::string handler = "vide";
};

std::string track(const Parts &parts) {
  return box("trak",
             (parts.edits.empty() ? "" : box("edts", parts.edits)) +
                 box("mdia", header("mdhd", kMediaScale, 7) + box("hdlr", u32(0) + u32(0) + parts.handler) +
                                 box("minf", box("stbl", parts.tables))));
}

std::string movie(const Parts &parts) {
  return box("moov", header("mvhd", kMovieScale, 500) + track(parts) + parts.more);
}

Result<MovieIndex> read_from(const std::string &file) {
  return read_movie_index(
      [&](uint64_t offset, void *target, size_t size) {
        if (offset > file.size() || size > file.size() - offset) return false;
        std::memcpy(target, file.data() + offset, size);
        return true;
      },
      file.size());
}

// What the demuxer reads.
std::string replaced(std::string file, const MovieIndex &index) {
  for (const Replacement &one : index.replacements) file.replace(one.offset, one.bytes.size(), one.bytes);
  return file;
}

std::string problem(const std::string &file) {
  const auto index = read_from(file);
  return index ? "none" : index.error().text;
}

constexpr GstClockTime ms(uint64_t time) { return time * GST_MSECOND; }

TEST(MovieIndex, TellsWhenFramesBegin) {
  const auto index = read_from(movie({}));
  ASSERT_TRUE(index) << index.error().text;
  EXPECT_EQ(index->begins, (std::vector<GstClockTime>{ms(100), ms(200), ms(300), ms(400)}));
  EXPECT_EQ(index->duration, ms(500));
  EXPECT_TRUE(index->edits.empty());
}

TEST(MovieIndex, TakesOffsetsAsSigned) {
  const std::string tables = box("stts", u32(0) + u32(1) + u32(3) + u32(10)) +
                             box("ctts", u32(0x1000000) + u32(1) + u32(3) + u32(0xFFFFFFF6)) +
                             box("stsz", u32(0) + u32(8) + u32(3));
  const auto index = read_from(movie({.tables = tables}));
  ASSERT_TRUE(index) << index.error().text;
  EXPECT_EQ(index->begins, (std::vector<GstClockTime>{0, 0, ms(100)}));
}

TEST(MovieIndex, ReadsEdits) {
  const auto index =
      read_from(movie({.edits = elst(row(300, kEmpty) + row(155, 20) + row(0, 5) + row(70, 0), 4)}));
  ASSERT_TRUE(index) << index.error().text;
  ASSERT_EQ(index->edits.size(), 3u);
  EXPECT_FALSE(index->edits[0].media);
  EXPECT_EQ(index->edits[1].shown, ms(300));
  EXPECT_EQ(index->edits[1].shown_end, ms(455));
  EXPECT_EQ(index->edits[1].media, ms(200));
  EXPECT_EQ(index->edits[1].media_end, ms(360)) << "15.5 units are 16.";
  EXPECT_EQ(index->edits[2].shown, ms(455));
  EXPECT_EQ(index->edits[2].media, ms(50));
  EXPECT_EQ(index->edits[2].media_end, GST_CLOCK_TIME_NONE);
}

TEST(MovieIndex, ReadsLongEdits) {
  const std::string list = box("elst", u32(0x1000000) + u32(2) + u64(300) + u64(~uint64_t{0}) + u32(kSpeed) +
                                           u64(200) + u64(10) + u32(kSpeed));
  const auto index = read_from(movie({.edits = list}));
  ASSERT_TRUE(index) << index.error().text;
  ASSERT_EQ(index->edits.size(), 2u);
  EXPECT_FALSE(index->edits[0].media);
  EXPECT_EQ(index->edits[1].media_end, ms(300));
}

TEST(MovieIndex, TellsWhenItsPictureIsShownAndInHowManyParts) {
  const auto of = [](const std::string &edits) {
    auto index = read_from(movie({.edits = edits}));
    EXPECT_TRUE(index) << index.error().text;
    return *std::move(index);
  };
  EXPECT_EQ(of("").shown(), (Stretch{0, ms(400)})) << "Not the 500 ms of the movie, whose sound is longer.";
  EXPECT_FALSE(of("").is_in_parts());
  const auto late = of(elst(row(300, kEmpty) + row(155, 20), 2));
  EXPECT_EQ(late.shown(), (Stretch{ms(300), ms(455)}));
  EXPECT_FALSE(late.is_in_parts());
  const auto parts = of(elst(row(100, 0) + row(200, kEmpty) + row(70, 20), 3));
  EXPECT_EQ(parts.shown(), (Stretch{0, ms(370)}));
  EXPECT_TRUE(parts.is_in_parts());
  EXPECT_FALSE(of(elst(row(300, kEmpty), 1)).shown());
}

TEST(MovieIndex, OfFragmentsHasAnOpenEnd) {
  Parts parts{.edits = elst(row(300, 10), 1)};
  parts.more = box("mvex", box("mehd", u32(0) + u32(900)));
  const std::string file = movie(parts);
  const auto index = read_from(file);
  ASSERT_TRUE(index) << index.error().text;
  EXPECT_TRUE(index->is_fragmented);
  EXPECT_EQ(index->duration, ms(900));
  EXPECT_EQ(index->edits.back().media_end, GST_CLOCK_TIME_NONE);
  EXPECT_FALSE(index->shown());
  EXPECT_EQ(replaced(file, *index).find("mehd"), std::string::npos);
}

TEST(MovieIndex, HidesEditsAndDurationsFromTheDemuxer) {
  const std::string file = movie({.edits = elst(row(300, 10), 1)});
  const auto index = read_from(file);
  ASSERT_TRUE(index) << index.error().text;
  const std::string changed = replaced(file, *index);
  EXPECT_EQ(changed.size(), file.size());
  EXPECT_EQ(changed.find("edts"), std::string::npos);
  const auto duration = [&](const char *type) { return changed.substr(changed.find(type) + 20, 4); };
  EXPECT_EQ(duration("mvhd"), u32(0));
  EXPECT_EQ(duration("mdhd"), u32(40)) << "qtdemux ends there.";
}

TEST(MovieIndex, IsThatOfTheFirstVideoTrack) {
  Parts other{.edits = elst(row(100, 30), 1)};
  const std::string sound = track({.edits = elst(row(70, 20), 1), .handler = "soun"});
  const std::string file = box("moov", header("mvhd", kMovieScale, 500) + sound +
                                           track({.edits = elst(row(300, 10), 1)}) + track(other));
  const auto index = read_from(file);
  ASSERT_TRUE(index) << index.error().text;
  ASSERT_EQ(index->edits.size(), 1u);
  EXPECT_EQ(index->edits[0].media, ms(100));
  const std::string changed = replaced(file, *index);
  EXPECT_NE(changed.find("edts"), std::string::npos) << "The sound keeps its list.";
  EXPECT_EQ(changed.find("trak", changed.find("vide")), std::string::npos) << "Another video may be decoded.";
}

TEST(MovieIndex, RefusesOtherSpeeds) {
  for (const uint32_t rate : {0u, 2u, 0x8000u, 0x20000u, 0xFFFF0000u})
    EXPECT_NE(problem(movie({.edits = elst(row(300, 10, rate), 1)})).find("changes the speed"),
              std::string::npos)
        << rate;
  EXPECT_EQ(problem(movie({.edits = elst(row(300, 10, 1), 1)})), "none");
  EXPECT_EQ(problem(movie({.edits = elst(row(300, kEmpty, 0) + row(300, 10), 2)})), "none");
}

TEST(MovieIndex, RefusesCountsThatAreLargerThanTheirBox) {
  for (const uint32_t count : {2u, 0x10000u, 0x15555556u, 0xFFFFFFFFu}) {
    EXPECT_NE(problem(movie({.edits = elst(row(300, 10), count)})).find("edit list"), std::string::npos);
    for (const char *table : {"stts", "ctts", "stsz"}) {
      std::string tables = kTables;
      const size_t place = tables.find(table) + (table == std::string("stsz") ? 12 : 8);
      tables.replace(place, 4, u32(count + 10));
      EXPECT_NE(problem(movie({.tables = tables})).find("table of its frames"), std::string::npos) << table;
    }
  }
  EXPECT_NE(problem(movie({.edits = box("elst", u32(0))})).find("edit list"), std::string::npos);
}

TEST(MovieIndex, RefusesTimesThatNoFilmHas) {
  const std::string list =
      box("elst", u32(0x1000000) + u32(1) + u64(~uint64_t{0} - 1) + u64(~uint64_t{0} - 1) + u32(kSpeed));
  EXPECT_NE(problem(movie({.edits = list})).find("edit list"), std::string::npos);
}

TEST(MovieIndex, UnderstandsEverySize) {
  const std::string file = movie({});
  const std::string data = "data";
  // The last box may have size 0; 1 announces 64 bits.
  EXPECT_EQ(problem(u32(0) + "moov" + file.substr(8)), "none");
  EXPECT_EQ(problem(u32(1) + "moov" + u64(file.size() + 8) + file.substr(8)), "none");
  EXPECT_EQ(problem(file + u32(1) + "mdat" + u64(16 + data.size()) + data), "none");
  EXPECT_EQ(problem(file + u32(0) + "mdat" + data), "none");
}

TEST(MovieIndex, RefusesAFileWithoutItsEnd) {
  const std::string file = movie({});
  for (const std::string &end :
       {u32(1000) + "mdat", u32(1) + "mdat" + u64(uint64_t{1} << 32), u32(1000) + "moof",
        u32(1) + "mdat" + u64(~uint64_t{0}), u32(0xFFFFFFFF) + "mdat"})
    EXPECT_NE(problem(file + end).find("truncated"), std::string::npos);
  EXPECT_NE(problem(file.substr(0, file.size() - 1)).find("truncated"), std::string::npos);
  EXPECT_EQ(problem(file + u32(1000) + "junk"), "none") << "Some programs leave garbage behind.";
}

TEST(MovieIndex, EndsAtASizeThatIsTooSmall) {
  for (const std::string &start : {u32(4), u32(2) + "free", u32(7) + "free", u32(1) + "free" + u64(0),
                                   u32(1) + "free" + u64(15), std::string("\0\0\0", 3), u32(1) + "free"})
    EXPECT_NE(problem(start + movie({})).find("no index"), std::string::npos);
}

TEST(MovieIndex, IsSafeInDeepNests) {
  std::string nest;
  for (int i = 0; i < 10'000; ++i) nest = u32(nest.size() + 8) + "trak" + nest;
  EXPECT_EQ(problem(box("moov", header("mvhd", kMovieScale, 1) + nest)),
            "has no video stream that can be played.");
}

TEST(MovieIndex, EndsAfterManyBoxes) {
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += box("free", "");
  EXPECT_NE(problem(many + movie({})), "none");
}

TEST(MovieIndex, RefusesTimescalesOfZero) {
  EXPECT_NE(problem(box("moov", header("mvhd", 0, 500) + track({}))), "none");
  std::string file = movie({});
  file.replace(file.find("mdhd") + 16, 4, u32(0));
  EXPECT_NE(problem(file), "none");
}

}  // namespace
}  // namespace genclip
