// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/subtitle_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<FilmCue> read(std::string_view bytes) {
  const auto read = read_subtitles(bytes);
  EXPECT_TRUE(read) << (read ? "" : read.error().text);
  return read ? read->cues : std::vector<FilmCue>();
}

std::string problem(std::string_view bytes) {
  const auto cues = read_subtitles(bytes);
  return cues ? "none" : cues.error().text;
}

TEST(SubtitleReader, KeepsCuesThatOverlapAndSortsThemByTheirBeginnings) {
  EXPECT_THAT(
      read("1\n00:00:10,000 --> 00:00:12,000\nlater\n\n2\n00:00:00,000 --> 00:00:20,000\nsign\n\n"
           "3\n00:00:10,000 --> 00:00:12,000\nas well\n"),
      ElementsAre(FilmCue{0s, 20s, "sign"}, FilmCue{10s, 12s, "later"}, FilmCue{10s, 12s, "as well"}));
  EXPECT_THAT(
      read("WEBVTT\n00:05.000 --> 00:06.000\nb\n\nname\n00:00:01.000 --> 00:00:09.000 align:start\na\n"),
      ElementsAre(FilmCue{1s, 9s, "a"}, FilmCue{5s, 6s, "b"}));
}

TEST(SubtitleReader, KnowsTimesAsFilesHaveThem) {
  EXPECT_THAT(read("1:00:06.5 --> 1:00:07,25\r\na\r\n\r\n  100:00:00,001  -->  100:00:00,0029 X1:5\r\rb"),
              ElementsAre(FilmCue{1h + 6500ms, 1h + 7250ms, "a"}, FilmCue{100h + 1ms, 100h + 2ms, "b"}));
}

TEST(SubtitleReader, KeepsTheLinesOfASubRipTextAndNothingElse) {
  EXPECT_THAT(
      read("1\n00:01,0 --> 00:02,0\n- a --> b\n\n42\n\n2\n00:03,0 --> 00:04,0\n 12345 \n67\n\n\n3\n"
           "00:05,0 --> 00:05,0\n\n4\n00:06,0 --> 00:07,0\nx\n\n8"),
      ElementsAre(FilmCue{1s, 2s, "- a --> b\n42"}, FilmCue{3s, 4s, "12345\n67"}, FilmCue{6s, 7s, "x\n8"}));
}

TEST(SubtitleReader, SeparatesSubRipCuesThatFollowWithoutABlankLine) {
  const std::vector<FilmCue> cues{{1s, 2s, "a"}, {3s, 4s, "b\n7"}, {5s, 6s, "c"}};
  EXPECT_EQ(read("1\n0:01 --> 0:02\na\n2\n0:03 --> 0:04\nb\n7\n3\n0:05 --> 0:06\nc\n"), cues);
  EXPECT_EQ(read("0:01 --> 0:02\na\n0:03 --> 0:04\nb\n7\n0:05 --> 0:06\nc\n"), cues)
      << "Without numbers, each is a text.";
}

TEST(SubtitleReader, LeavesOutCommentsAndStylesOfWebVtt) {
  EXPECT_THAT(read("WEBVTT - Title\n\nNOTE\n00:01.000 --> 00:02.000\nno\n\nSTYLE\n::cue{}\n\nNOTES\n"
                   "00:03.000 --> 00:04.000\nyes\n\nstray\n"),
              ElementsAre(FilmCue{3s, 4s, "yes"}));
}

TEST(SubtitleReader, KeepsTheHeadersLineAboutTimesOfAnHlsStream) {
  const auto map = [](std::string_view bytes) {
    const auto read = read_subtitles(bytes);
    return read ? read->timestamp_map : "not read";
  };
  const std::string line = "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:324720000";
  const std::string cue = "\n00:01.000 --> 00:02.000\na\n";
  EXPECT_EQ(map("WEBVTT\n" + line + "\n" + cue), line);
  EXPECT_EQ(map("WEBVTT - Title\r\nKind: captions\r\n" + line + " \r\n" + cue), line);
  EXPECT_EQ(map("WEBVTT\n" + cue), "");
  EXPECT_EQ(map("WEBVTT\n" + cue + "\n" + line + "\n"), "") << "behind the head";
  EXPECT_EQ(map("1\n" + line + "\n" + cue), "") << "SubRip";
  EXPECT_THAT(read("WEBVTT\n" + line + "\n" + cue), ElementsAre(FilmCue{1s, 2s, "a"}));
}

TEST(SubtitleReader, SaysTheLinesOfCuesThatCannotBeKept) {
  EXPECT_EQ(problem("1\n00:00:05,000 --> 00:00:04,500\nx\n"), "Line 2: the cue ends before it begins.");
  EXPECT_EQ(problem("1\n00:00:05,000 --> 00:00:05,000\nx\n\n2\n00:00:05,000 --> soon\nx\n"),
            "Line 2: the cue lasts for no time. Line 6: the times of the cue cannot be read.");
  EXPECT_THAT(problem("0:01 --> 999:999:00\nx\n"), HasSubstr("cannot be read"));
  std::string many;
  for (int i = 0; i < 7; ++i) many += "00:00:05,000 --> 00:00:04,500\nx\n\n";
  EXPECT_THAT(problem(many), HasSubstr("Line 13: the cue ends before it begins. There are more of these."));
  std::string long_ones;
  for (int i = 0; i < 100; ++i) long_ones += "00:00:00 --> 999:00:00\nx\n\n";
  EXPECT_EQ(problem(long_ones), "Its cues last longer than any film.");
  EXPECT_THAT(problem("just text\n"), HasSubstr("no cues"));
  EXPECT_THAT(read(""), IsEmpty());
  EXPECT_THAT(read("WEBVTT\n"), IsEmpty());
}

TEST(SubtitleReader, ReadsOldEncodings) {
  EXPECT_THAT(read("\xef\xbb\xbf"
                   "0:01 --> 0:02\n\u00e4\n"),
              ElementsAre(FilmCue{1s, 2s, "\u00e4"}));
  const auto windows = read_subtitles("0:01 --> 0:02\n\x93\xe4\x94 \x96 5 \x80\x85\n");
  ASSERT_TRUE(windows);
  EXPECT_THAT(windows->cues, ElementsAre(FilmCue{1s, 2s, "\u201c\u00e4\u201d \u2013 5 \u20ac\u2026"}));
  EXPECT_EQ(windows->assumed_encoding, "WINDOWS-1252");
  const auto other = read_subtitles("0:01 --> 0:02\n\xa4\x81\n");
  ASSERT_TRUE(other);
  EXPECT_THAT(other->cues, ElementsAre(FilmCue{1s, 2s, "\u20ac\u0081"}));
  EXPECT_EQ(other->assumed_encoding, "ISO-8859-15");
  EXPECT_EQ(read_subtitles("0:01 --> 0:02\n\u00e4\n")->assumed_encoding, "");
  const auto with_nul = read_subtitles("0:01 --> 0:02\n\u00e4\0b\n"s);
  ASSERT_TRUE(with_nul);
  EXPECT_THAT(with_nul->cues, ElementsAre(FilmCue{1s, 2s, "\u00e4b"}));
  EXPECT_EQ(with_nul->assumed_encoding, "");
  std::string wide = "\xff\xfe";
  for (const char one : "0:01 --> 0:02\nx"s) wide += std::string{one, '\0'};
  EXPECT_THAT(read(wide), ElementsAre(FilmCue{1s, 2s, "x"}));
  EXPECT_THAT(problem(wide + "y"), HasSubstr("UTF-16"));
}

TEST(SubtitleReader, TextsArePlain) {
  for (const bool is_vtt : {false, true}) {
    EXPECT_EQ(plain_cue_text("<i>Tom &amp; Jerry</i>\n\n <B>1 < 2 & 3</b>", is_vtt),
              "Tom & Jerry\n1 < 2 & 3");
    EXPECT_EQ(plain_cue_text("&lt;i&gt; &#233;&#xe9; &nbsp;&none; &#0;&;", is_vtt),
              "<i> \u00e9\u00e9 \u00a0&none; &#0;&;");
  }
  EXPECT_EQ(plain_cue_text("<v Bob>Hi <c.x>you</c><00:01.000>!", true), "Hi you!");
  EXPECT_EQ(plain_cue_text("{\\an8}<font color=\"red\">x</font> <sigh> {y}", false), "x <sigh> {y}");
  EXPECT_EQ(plain_cue_text("{\\an8}x", true), "{\\an8}x");
  EXPECT_EQ(plain_cue_text("<i", true), "<i");
}

}  // namespace
}  // namespace genclip
