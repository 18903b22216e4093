// SPDX-License-Identifier: LGPL-2.1-or-later
#include <glib.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/output/caption_cues.h"
#include "plugin/output/codec_name.h"
#include "plugin/output/hls_captions.h"
#include "plugin/output/hls_folder.h"
#include "plugin/output/hls_playlist.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using test::TemporaryFolder;

TEST(CaptionCues, GivesEachSegmentTheCuesThatItTouches) {
  CaptionCues cues;
  cues.add({seconds(0), seconds(4), "ends with it"});
  cues.add({seconds(3), seconds(5), "begins before"});
  cues.add({seconds(7), seconds(9), "ends behind"});
  cues.add({seconds(8), seconds(9), "next"});
  const auto found = cues.between(seconds(4), seconds(8));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (CaptionCue{seconds(3), seconds(5), "begins before"}));
  EXPECT_EQ(found[1].text, "ends behind");
}

TEST(CaptionCues, KeepNoMoreThanMinutes) {
  CaptionCues cues;
  for (int second = 0; second < 7200; ++second) cues.add({seconds(second), seconds(second + 1), "a"});
  EXPECT_LT(cues.between(seconds(0), hours(3)).size(), 1200U);
  EXPECT_EQ(cues.between(seconds(7100), hours(3)).size(), 100U);
}

TEST(BurntCaption, LastsFromThePictureAfterItCameForItsWholeLength) {
  BurntCaption burnt(seconds(5));
  EXPECT_EQ(burnt.change_at(seconds(1)), std::nullopt);
  burnt.add({seconds(0), seconds(2), "late"});
  EXPECT_EQ(burnt.change_at(milliseconds(1500)), "late");
  EXPECT_EQ(burnt.change_at(milliseconds(3460)), std::nullopt);
  EXPECT_EQ(burnt.change_at(milliseconds(3500)), "");
  EXPECT_EQ(burnt.change_at(milliseconds(3540)), std::nullopt);
}

TEST(BurntCaption, GivesWayToTheNextOne) {
  BurntCaption burnt(seconds(5));
  burnt.add({seconds(0), seconds(5), "one"});
  EXPECT_EQ(burnt.change_at(seconds(1)), "one");
  burnt.add({seconds(5), seconds(10), "two"});
  EXPECT_EQ(burnt.change_at(seconds(2)), "two");
  EXPECT_EQ(burnt.change_at(milliseconds(6500)), std::nullopt) << "the end of the first one means nothing";
  EXPECT_EQ(burnt.change_at(seconds(7)), "");
}

// gencaption pushes all cues of an answer as soon as it has come.
TEST(BurntCaption, OfAnAnswerOfSeveralCuesShowsEachForItsTime) {
  BurntCaption burnt(seconds(5));
  EXPECT_EQ(burnt.change_at(seconds(3)), std::nullopt);
  burnt.add({seconds(0), milliseconds(2500), "begins"});
  EXPECT_EQ(burnt.change_at(milliseconds(3040)), "begins") << "a picture may come between them";
  burnt.add({milliseconds(2500), seconds(5), "goes on"});
  EXPECT_EQ(burnt.change_at(milliseconds(5500)), std::nullopt);
  EXPECT_EQ(burnt.change_at(milliseconds(5540)), "goes on");
  EXPECT_EQ(burnt.change_at(milliseconds(6000)), std::nullopt);
  burnt.add({seconds(5), milliseconds(7500), "next"});
  burnt.add({milliseconds(7500), seconds(10), "last"});
  EXPECT_EQ(burnt.change_at(milliseconds(6040)), "next") << "another answer has come sooner";
  EXPECT_EQ(burnt.change_at(milliseconds(8540)), "last");
  EXPECT_EQ(burnt.change_at(milliseconds(11040)), "");
  EXPECT_EQ(burnt.change_at(milliseconds(11080)), std::nullopt);
}

// The one that was slow lets the next one go, too.
TEST(BurntCaption, ShowsTheLastOfTwoAnswersThatComeAtOnce) {
  BurntCaption burnt(seconds(5));
  burnt.add({seconds(0), seconds(5), "slow"});
  burnt.add({seconds(5), milliseconds(7500), "next"});
  burnt.add({milliseconds(7500), seconds(10), "goes on"});
  EXPECT_EQ(burnt.change_at(seconds(11)), "next");
  EXPECT_EQ(burnt.change_at(milliseconds(13'500)), "goes on");
}

TEST(CaptionSegment, TellsItsPlaceOnTheTimeLineOfTheMuxer) {
  const CaptionSegmentPlace place{seconds(8), seconds(-100)};
  EXPECT_EQ(caption_segment_text({{seconds(107), milliseconds(109'500), "A <b> & c\nsecond line"}}, place),
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:324720000,LOCAL:00:00:08.000\n\n"
            "00:00:07.000 --> 00:00:09.500\nA &lt;b&gt; &amp; c\nsecond line\n");
}

TEST(CaptionSegment, TimestampsBeginAnewAsThoseOfTheMuxer) {
  EXPECT_EQ(muxed_timestamp(nanoseconds(0)), 324'000'000U);
  const milliseconds wrap((int64_t{1} << 33) / 90);
  EXPECT_LT(muxed_timestamp(wrap - hours(1) + milliseconds(10)), 1000U);
  EXPECT_EQ(caption_segment_text({}, {hours(30), {}}).find("LOCAL:30:00:00.000"),
            std::string("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:").size() + 10 + 1);
}

TEST(CaptionPlaylist, IsThatOfThePictureWithoutTheLastSegments) {
  HlsPlaylist playlist(4, 3);
  for (uint64_t number = 0; number < 5; ++number) {
    if (number == 3) playlist.break_timeline();
    playlist.add({.number = number, .seconds = 4});
  }
  const auto text = playlist.captions_text(1);
  EXPECT_NE(text.find("#EXT-X-MEDIA-SEQUENCE:2\n"), text.npos);
  EXPECT_NE(text.find("#EXT-X-DISCONTINUITY\n"), text.npos);
  EXPECT_NE(text.find("segment-00000003.vtt\n"), text.npos);
  EXPECT_EQ(text.find("segment-00000004"), text.npos);
  EXPECT_EQ(text.find(".ts"), text.npos);
  playlist.finish();
  EXPECT_EQ(playlist.captions_text(1).find("ENDLIST"), std::string::npos);
  EXPECT_NE(playlist.captions_text(0).find("ENDLIST"), std::string::npos);
}

TEST(CodecName, IsThatOfTheProfileAndTheLevel) {
  const auto name_of = [](const char *text) {
    return codec_name(GRef<GstCaps>::adopt(gst_caps_from_string(text)).get());
  };
  EXPECT_EQ(name_of("video/x-h264,profile=high,level=(string)3.1"), "avc1.64001f");
  EXPECT_EQ(name_of("video/x-h264,profile=constrained-baseline,level=(string)4"), "avc1.42e028");
  EXPECT_EQ(name_of("video/x-h265,profile=main,level=(string)3.1"), "hvc1.1.6.L93.B0");
  EXPECT_EQ(name_of("video/x-h265,profile=main-444,level=(string)3.1"), "");
  EXPECT_EQ(name_of("video/x-h264,level=(string)3.1"), "");
  EXPECT_EQ(codec_name(nullptr), "");
}

TEST(MultivariantPlaylist, OffersCaptionsBesideThePicture) {
  EXPECT_EQ(multivariant_text("index.m3u8", "captions.m3u8", 4'540'800, "avc1.64001f"),
            "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"captions\",NAME=\"Captions\","
            "DEFAULT=YES,AUTOSELECT=YES,URI=\"captions.m3u8\"\n"
            "#EXT-X-STREAM-INF:BANDWIDTH=4540800,CODECS=\"avc1.64001f,mp4a.40.2\",SUBTITLES=\"captions\"\n"
            "index.m3u8\n");
  EXPECT_EQ(multivariant_text("index.m3u8", "captions.m3u8", 1, "").find("CODECS"), std::string::npos);
  EXPECT_EQ(multivariant_text("index.m3u8", "", 1000, ""),
            "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nindex.m3u8\n");
  EXPECT_EQ(multivariant_text("index.m3u8", "", 1000, "", 20),
            "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-START:TIME-OFFSET=-20\n#EXT-X-STREAM-INF:BANDWIDTH=1000\n"
            "index.m3u8\n");
}

class CaptionedFolder : public testing::Test {
 protected:
  std::unique_ptr<FileWriter> begin(bool captions = true, size_t behind = 1) {
    HlsCaptions with{.bits_per_second = 4'000'000};
    if (captions) with = {cues_, behind, 4'000'000};
    auto writer = make_hls_folder(folder_.path(), 4, 3, with);
    EXPECT_TRUE(writer->begin());
    return writer;
  }
  // The next segment, of 4 s.
  void write(FileWriter &writer) { EXPECT_TRUE(try_to_write(writer)); }
  Result<void> try_to_write(FileWriter &writer) {
    const auto path = writer.open({}, nullptr);
    std::ofstream(path) << "picture";
    const auto begin = std::exchange(at_, at_ + seconds(4));
    return writer.close({path, {}, begin, begin + seconds(100), seconds(4)});
  }
  // How many segments a playlist lists. Each file is there.
  int listed(const std::string &playlist) {
    std::istringstream lines(text(playlist));
    int count = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("segment-")) {
        EXPECT_TRUE(has(line)) << line;
        ++count;
      }
    return count;
  }
  bool has(const std::string &name) { return std::filesystem::exists(folder_.file(name)); }
  std::string text(const std::string &name) {
    std::ostringstream text;
    text << std::ifstream(folder_.file(name)).rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
  const std::shared_ptr<CaptionCues> cues_ = std::make_shared<CaptionCues>();
  nanoseconds at_{0};
};

TEST_F(CaptionedFolder, WritesTheCaptionsOfASegmentWhenTheNextOneIsComplete) {
  const auto writer = begin();
  write(*writer);
  EXPECT_FALSE(has("segment-00000000.vtt"));
  EXPECT_FALSE(has("master.m3u8")) << "players would find an empty playlist";
  cues_->add({seconds(101), seconds(103), "comes late"});
  write(*writer);
  EXPECT_EQ(text("segment-00000000.vtt"),
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:324000000,LOCAL:00:00:00.000\n\n"
            "00:00:01.000 --> 00:00:03.000\ncomes late\n");
  EXPECT_NE(text("captions.m3u8").find("segment-00000000.vtt"), std::string::npos);
  EXPECT_NE(text("master.m3u8").find("TYPE=SUBTITLES"), std::string::npos);
  EXPECT_EQ(text("master.m3u8").find("EXT-X-START"), std::string::npos);
  EXPECT_FALSE(has("segment-00000001.vtt"));
  EXPECT_TRUE(writer->finish(false));
  EXPECT_TRUE(has("segment-00000001.vtt")) << "nothing of this run follows";
  EXPECT_EQ(text("captions.m3u8").find("ENDLIST"), std::string::npos);
  EXPECT_TRUE(writer->finish(true));
  EXPECT_NE(text("captions.m3u8").find("ENDLIST"), std::string::npos);
}

TEST_F(CaptionedFolder, RemovesCaptionsWithTheirSegments) {
  const auto writer = begin();
  for (int i = 0; i < 9; ++i) write(*writer);
  EXPECT_FALSE(has("segment-00000000.vtt"));
  EXPECT_TRUE(has("segment-00000001.vtt"));
  EXPECT_TRUE(has("segment-00000001.ts"));
}

// Else they would be paid for, and no player would see them.
TEST_F(CaptionedFolder, ListsAsManySegmentsWithCaptionsHoweverLateTheyAre) {
  const auto writer = begin(true, 6);
  for (int i = 0; i < 12; ++i) write(*writer);
  EXPECT_EQ(listed("index.m3u8"), 9);
  EXPECT_EQ(listed("captions.m3u8"), 3);
  EXPECT_NE(text("master.m3u8").find("#EXT-X-START:TIME-OFFSET=-32\n"), std::string::npos)
      << "players begin where captions are";
}

TEST_F(CaptionedFolder, OffersCaptionsAgainWhenTheyCouldNotBeOffered) {
  const auto writer = begin();
  write(*writer);
  ASSERT_TRUE(std::filesystem::create_directory(folder_.file("master.m3u8")));
  EXPECT_FALSE(try_to_write(*writer));
  ASSERT_TRUE(std::filesystem::remove(folder_.file("master.m3u8")));
  write(*writer);
  EXPECT_TRUE(has("master.m3u8"));
}

TEST_F(CaptionedFolder, OffersCaptionsAgainInAFolderThatWasCleared) {
  const auto writer = begin();
  for (int i = 0; i < 2; ++i) write(*writer);
  ASSERT_TRUE(std::filesystem::remove(folder_.file("master.m3u8")));
  for (int i = 0; i < 2; ++i) write(*writer);
  EXPECT_TRUE(has("master.m3u8"));
  ASSERT_TRUE(std::filesystem::remove(folder_.file("master.m3u8")));
  ASSERT_TRUE(writer->begin()) << "the output is built again";
  write(*writer);
  EXPECT_TRUE(has("master.m3u8"));
}

TEST_F(CaptionedFolder, RemovesNothingAtOnceThatAPlayerOfAnEarlierRunMayRead) {
  {
    const auto earlier = begin(false);
    for (int i = 0; i < 9; ++i) write(*earlier);
    ASSERT_TRUE(has("segment-00000003.ts"));
  }
  const auto writer = begin(false);
  write(*writer);
  EXPECT_TRUE(has("segment-00000004.ts"));
  EXPECT_FALSE(has("segment-00000003.ts"));
}

TEST_F(CaptionedFolder, ListsNoFileThatIsNotThere) {
  {
    const auto without = begin(false);
    for (int i = 0; i < 2; ++i) write(*without);
    EXPECT_FALSE(has("captions.m3u8"));
  }
  const auto writer = begin();
  for (int i = 0; i < 2; ++i) write(*writer);
  EXPECT_EQ(listed("captions.m3u8"), 3) << "of four segments, the last one waits for its captions";
}

TEST_F(CaptionedFolder, GoesOnWithoutCaptions) {
  {
    const auto with = begin();
    for (int i = 0; i < 3; ++i) write(*with);
    ASSERT_TRUE(has("captions.m3u8"));
  }
  const auto writer = begin(false);
  write(*writer);
  EXPECT_FALSE(has("captions.m3u8")) << "its segments are removed one after the other";
  EXPECT_EQ(text("master.m3u8").find("SUBTITLES"), std::string::npos);
  EXPECT_NE(text("master.m3u8").find("BANDWIDTH=4000000\nindex.m3u8"), std::string::npos);
}

// Else it would begin again at 0, and remove nothing of what is there.
TEST_F(CaptionedFolder, IsLookedAtAgainAfterAnError) {
  {
    const auto with = begin();
    for (int i = 0; i < 6; ++i) write(*with);
  }
  ASSERT_TRUE(std::filesystem::remove(folder_.file("master.m3u8")));
  ASSERT_TRUE(std::filesystem::create_directory(folder_.file("master.m3u8")));
  ASSERT_TRUE(has("segment-00000001.ts"));
  const auto writer = make_hls_folder(folder_.path(), 4, 3, {.bits_per_second = 4'000'000});
  EXPECT_FALSE(writer->begin());
  EXPECT_FALSE(has("segment-00000001.ts")) << "a full disk needs its room more than a slow player";
  EXPECT_TRUE(has("segment-00000002.ts")) << "the playlist has it";
  ASSERT_TRUE(std::filesystem::remove(folder_.file("master.m3u8")));
  ASSERT_TRUE(writer->begin());
  write(*writer);
  EXPECT_TRUE(has("segment-00000006.ts")) << text("index.m3u8");
  EXPECT_FALSE(has("captions.m3u8"));
}

// A disk that was full for a moment.
TEST_F(CaptionedFolder, ListsNoFileThatIsNotThereBehindAFailure) {
  const auto writer = begin();
  for (int i = 0; i < 2; ++i) write(*writer);
  ASSERT_TRUE(std::filesystem::remove(folder_.file("index.m3u8")));
  ASSERT_TRUE(std::filesystem::create_directory(folder_.file("index.m3u8")));
  cues_->add({seconds(109), seconds(111), "paid"});
  EXPECT_FALSE(try_to_write(*writer));
  ASSERT_TRUE(std::filesystem::remove(folder_.file("index.m3u8")));
  for (int i = 0; i < 2; ++i) write(*writer);
  EXPECT_EQ(listed("captions.m3u8"), 3);
  EXPECT_NE(text("segment-00000002.vtt").find("paid"), std::string::npos);
}

// On a disk that is full, or will be.
class ContinuedFolder : public CaptionedFolder {
 protected:
  // As a pipeline that fails amid a segment. Its path.
  std::string begin_one(FileWriter &writer) {
    const auto path = writer.open({}, nullptr);
    std::ofstream(path) << "half";
    return path;
  }
};

TEST_F(ContinuedFolder, HasNothingOfASegmentThatWasNotFinished) {
  {
    const auto writer = begin(false);
    for (int i = 0; i < 6; ++i) write(*writer);
    begin_one(*writer);
    ASSERT_TRUE(writer->begin()) << "the output is built again";
    EXPECT_FALSE(has("segment-00000006.ts"));
    EXPECT_TRUE(has("segment-00000000.ts")) << "a player may still read it";
    EXPECT_EQ(listed("index.m3u8"), 3);
    EXPECT_TRUE(begin_one(*writer).ends_with("segment-00000007.ts")) << "no name is given twice";
  }
  const auto next_run = begin(false);
  EXPECT_FALSE(has("segment-00000007.ts"));
  EXPECT_TRUE(has("segment-00000000.ts"));
  write(*next_run);
  EXPECT_EQ(listed("index.m3u8"), 3);
}

TEST_F(ContinuedFolder, MakesRoomForAnOutputThatFinishesNothing) {
  const auto writer = begin();
  for (int i = 0; i < 8; ++i) write(*writer);
  ASSERT_EQ(listed("captions.m3u8"), 3);
  for (int builds = 0; builds < 2; ++builds) {
    begin_one(*writer);
    EXPECT_TRUE(has("segment-00000003.ts"));
    EXPECT_TRUE(has("segment-00000003.vtt"));
    ASSERT_TRUE(writer->begin());
  }
  EXPECT_FALSE(has("segment-00000003.ts")) << "the second build has finished nothing";
  EXPECT_FALSE(has("segment-00000003.vtt"));
  EXPECT_EQ(listed("index.m3u8"), 4);
  EXPECT_EQ(listed("captions.m3u8"), 3);
  write(*writer);
  EXPECT_EQ(listed("index.m3u8"), 4);
  ASSERT_TRUE(writer->begin());
  EXPECT_TRUE(has("segment-00000004.ts")) << "which has just left the playlist";
}

TEST_F(ContinuedFolder, MakesRoomForItsFirstSegment) {
  {
    const auto earlier = begin(false);
    write(*earlier);
  }
  ASSERT_TRUE(std::filesystem::remove(folder_.file("index.m3u8")));
  const auto writer = begin(false);
  EXPECT_TRUE(has("segment-00000000.ts")) << "players may have the playlist that was removed";
  begin_one(*writer);
  ASSERT_TRUE(writer->begin());
  EXPECT_FALSE(has("segment-00000000.ts"));
  EXPECT_FALSE(has("segment-00000001.ts"));
}

TEST_F(ContinuedFolder, MakesRoomBeforeItsPlaylistIsWritten) {
  const auto writer = begin(false);
  for (int i = 0; i < 6; ++i) write(*writer);
  ASSERT_TRUE(std::filesystem::remove(folder_.file("index.m3u8")));
  ASSERT_TRUE(std::filesystem::create_directory(folder_.file("index.m3u8")));
  EXPECT_FALSE(try_to_write(*writer));
  EXPECT_FALSE(has("segment-00000000.ts"));
}

TEST_F(ContinuedFolder, ListsNoSegmentOfAnOutputThatHung) {
  const auto writer = begin(false);
  write(*writer);
  const auto path = begin_one(*writer);
  ASSERT_TRUE(writer->begin());
  write(*writer);
  EXPECT_TRUE(writer->close({path, {}, at_, at_, seconds(4)}));
  EXPECT_EQ(listed("index.m3u8"), 2);
}

}  // namespace
}  // namespace genclip
