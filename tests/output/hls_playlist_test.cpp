// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/hls_playlist.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

using std::chrono::system_clock;

HlsSegment segment(uint64_t number, double seconds = 4) {
  return {.number = number,
          .seconds = seconds,
          .begin = system_clock::from_time_t(1'700'000'000 + 4 * static_cast<int>(number))};
}

HlsPlaylist with(uint64_t count, unsigned limit = 3) {
  HlsPlaylist playlist(4, limit);
  for (uint64_t number = 0; number < count; ++number) playlist.add(segment(number));
  return playlist;
}

TEST(HlsPlaylist, ListsTheLastSegmentsUnderTheirSequenceNumber) {
  EXPECT_EQ(with(5, 2).text(),
            "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:3\n"
            "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:32.000Z\n#EXTINF:4,\nsegment-00000003.ts\n"
            "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:36.000Z\n#EXTINF:4,\nsegment-00000004.ts\n");
}

TEST(HlsPlaylist, MarksTheSegmentAfterANewMuxer) {
  auto playlist = with(1);
  playlist.break_timeline();
  playlist.add(segment(7, 3.96));
  playlist.add(segment(8));
  const auto text = playlist.text();
  const auto mark = text.find("#EXT-X-DISCONTINUITY\n");
  ASSERT_NE(mark, text.npos);
  EXPECT_EQ(text.find("#EXT-X-DISCONTINUITY\n", mark + 1), text.npos);
  EXPECT_LT(text.find("segment-00000000.ts"), mark);
  EXPECT_LT(mark, text.find("#EXTINF:3.96,\nsegment-00000007.ts"));
}

TEST(HlsPlaylist, BeginsWithoutADiscontinuity) {
  HlsPlaylist playlist(4, 3);
  playlist.break_timeline();
  playlist.add(segment(0));
  EXPECT_EQ(playlist.text().find("DISCONTINUITY"), std::string::npos);
}

TEST(HlsPlaylist, CountsTheDiscontinuitiesThatLeftIt) {
  auto playlist = with(1, 2);
  playlist.break_timeline();
  playlist.add(segment(1));
  playlist.add(segment(2));
  EXPECT_EQ(playlist.text().find("DISCONTINUITY-SEQUENCE"), std::string::npos);
  playlist.add(segment(3));
  EXPECT_NE(playlist.text().find("#EXT-X-DISCONTINUITY-SEQUENCE:1\n"), std::string::npos);
}

TEST(HlsPlaylist, NeverLowersItsTargetDuration) {
  HlsPlaylist playlist(4, 2);
  playlist.add(segment(0, 5.6));
  for (uint64_t number = 1; number < 5; ++number) playlist.add(segment(number));
  EXPECT_NE(playlist.text().find("#EXT-X-TARGETDURATION:6\n"), std::string::npos);
}

TEST(HlsPlaylist, ContinuesWhatAnEarlierRunWrote) {
  auto earlier = with(5, 3);
  earlier.finish();
  HlsPlaylist playlist(4, 3);
  ASSERT_TRUE(playlist.resume(earlier.text()));
  EXPECT_EQ(playlist.next_number(), 5u);
  EXPECT_EQ(playlist.text(), with(5, 3).text()) << "all of it, but not its end";
  playlist.add(segment(5));
  const auto text = playlist.text();
  EXPECT_NE(text.find("#EXT-X-MEDIA-SEQUENCE:3\n"), text.npos);
  EXPECT_NE(text.find("#EXT-X-DISCONTINUITY\n#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:40.000Z\n#EXTINF:4,"
                      "\nsegment-00000005.ts"),
            text.npos)
      << text;
}

TEST(HlsPlaylist, ResumesEveryLineThatItWrites) {
  auto earlier = with(3, 3);
  earlier.break_timeline();
  earlier.add(segment(9, 6.04));
  for (uint64_t number = 10; number < 13; ++number) earlier.add(segment(number, 3.5));
  HlsPlaylist playlist(4, 3);
  ASSERT_TRUE(playlist.resume(earlier.text()));
  EXPECT_EQ(playlist.text(), earlier.text());
}

TEST(HlsPlaylist, RefusesAPlaylistOfSomebodyElse) {
  HlsPlaylist playlist(4, 3);
  for (const char *text : {"hello", "#EXTM3U\n#EXTINF:4,\nsegment00001.ts\n",
                           "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na/index.m3u8\n"})
    EXPECT_FALSE(playlist.resume(text)) << text;
  EXPECT_EQ(playlist.next_number(), 0u);
}

TEST(HlsPlaylist, KeepsSegmentsForAsLongAsAPlayerMayReadThem) {
  EXPECT_EQ(with(6, 3).oldest_kept(), 0u);
  EXPECT_EQ(with(9, 3).oldest_kept(), 3u);
}

// Whoever plays the last ones of them when a channel starts again still reads them.
TEST(HlsPlaylist, KeepsWhatHadLeftThePlaylistOfAnEarlierRun) {
  HlsPlaylist playlist(4, 3);
  ASSERT_TRUE(playlist.resume(with(9, 3).text()));
  EXPECT_EQ(playlist.oldest_kept(), 6u);
  playlist.keep({5, 2, 8, 4, 3, 7, 6});
  EXPECT_EQ(playlist.oldest_kept(), 3u) << "as many as the playlist has";
  playlist.add(segment(9));
  EXPECT_EQ(playlist.oldest_kept(), 4u);
}

TEST(HlsPlaylist, KeepsTheLastFilesThatNoPlaylistLists) {
  HlsPlaylist playlist(4, 3);
  playlist.keep({7, 1, 6, 2, 5});
  EXPECT_EQ(playlist.oldest_kept(), 5u);
}

TEST(HlsPlaylist, EndsOnlyWhenItIsTold) {
  auto playlist = with(2);
  EXPECT_EQ(playlist.text().find("ENDLIST"), std::string::npos);
  playlist.finish();
  EXPECT_TRUE(playlist.text().ends_with("#EXT-X-ENDLIST\n"));
}

TEST(HlsSegmentName, IsReadBackAndNoOtherNameIs) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{12}, uint64_t{99'999'999}, uint64_t{123'456'789}})
    EXPECT_EQ(segment_number(segment_name(number)), number);
  EXPECT_EQ(segment_name(12), "segment-00000012.ts");
  for (const char *name : {"segment-12.ts", "segment-0000001x.ts", "segment-00000012.ts.bak",
                           "xsegment-00000012.ts", "segment-000000012.ts", "segment-.ts", "index.m3u8", ""})
    EXPECT_FALSE(segment_number(name)) << name;
}

}  // namespace
}  // namespace genclip
