// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/subtitle_text.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;

TEST(SubtitleText, IsWhatPlayersRead) {
  const std::vector<FilmCue> cues{{0ns, 1500ms, "One\ntwo"}, {99h + 59min + 1s, 100h + 2ms, "Last"}};
  EXPECT_EQ(vtt_text(cues),
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nOne\ntwo\n\n"
            "99:59:01.000 --> 100:00:00.002\nLast\n");
  EXPECT_EQ(srt_text(cues),
            "1\n00:00:00,000 --> 00:00:01,500\nOne\ntwo\n\n"
            "2\n99:59:01,000 --> 100:00:00,002\nLast\n");
  EXPECT_EQ(vtt_text({}), "WEBVTT\n");
  EXPECT_EQ(srt_text({}), "");
}

TEST(SubtitleText, StaysAtTheTimesOfAnHlsStream) {
  const std::string map = "X-TIMESTAMP-MAP=MPEGTS:324720000,LOCAL:00:00:00.000";
  EXPECT_EQ(vtt_text({{0s, 1s, "a"}}, map), "WEBVTT\n" + map + "\n\n00:00:00.000 --> 00:00:01.000\na\n");
}

TEST(SubtitleText, RoundsToTheNearestMillisecondSoThatNeighboursStayNeighbours) {
  const std::vector<FilmCue> cues{{0ns, 1'000'499'999ns, "a"}, {1'000'500'000ns, 2s - 1ns, "b"}};
  EXPECT_EQ(srt_text(cues), "1\n00:00:00,000 --> 00:00:01,000\na\n\n2\n00:00:01,000 --> 00:00:02,000\nb\n");
}

TEST(SubtitleText, HasNothingThatWouldBeReadAsSomethingElse) {
  EXPECT_EQ(vtt_text({{0s, 1s, "a < b & c > d\n\n \nend"}}),
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na &lt; b &amp; c &gt; d\nend\n");
}

TEST(SubtitleText, LeavesOutCuesWithoutTimeOrText) {
  const std::vector<FilmCue> cues{{1s, 1s, "none"}, {1s, 1s + 400us, "none"}, {1s, 2s, " \n"}, {2s, 3s, "x"}};
  EXPECT_EQ(srt_text(cues), "1\n00:00:02,000 --> 00:00:03,000\nx\n");
}

}  // namespace
}  // namespace genclip
