// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How the names of members and fields are read, which services spell in many ways.
#include "plugin/base/name_letters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace genclip {
namespace {

using Words = std::vector<std::string>;

TEST(NameLetters, AreTheSameInEverySpelling) {
  for (const char *name : {"task_status", "taskStatus", "Task-Status", "TASK STATUS"})
    EXPECT_EQ(name_letters(name), "taskstatus") << name;
}

TEST(NameWords, AreTheSameInEverySpelling) {
  for (const char *name : {"source_video_url", "sourceVideoUrl", "SourceVideoURL", "SOURCE-VIDEO-URL",
                           "source video.url", "_source__video[url]"})
    EXPECT_EQ(name_words(name), (Words{"source", "video", "url"})) << name;
  EXPECT_EQ(name_words("REFVideo"), (Words{"ref", "video"}));
}

TEST(NameWords, KeepThePluralOfCapitals) {
  EXPECT_EQ(name_words("imageURLs"), (Words{"image", "urls"}));
  EXPECT_EQ(name_words("startImageURLs_2"), (Words{"start", "image", "urls", "2"}));
  EXPECT_EQ(name_words("refIDsFound"), (Words{"ref", "ids", "found"}));
  EXPECT_EQ(name_words("URLset"), (Words{"ur", "lset"})) << "of which nobody knows what it is";
}

TEST(NameWords, EndWithTheirNumber) {
  EXPECT_EQ(name_words("input2"), (Words{"input2"}));
  EXPECT_EQ(name_words("ref2video"), (Words{"ref2", "video"}));
  EXPECT_EQ(name_words("mp4_url"), (Words{"mp4", "url"}));
  EXPECT_EQ(name_words("MP4URL"), (Words{"mp4", "url"}));
  EXPECT_EQ(name_words("video_720p"), (Words{"video", "720", "p"}));
}

TEST(NameWords, DoNotCrossIntoAnotherScript) {
  EXPECT_EQ(name_words("图片url"), (Words{"图片", "url"}));
  EXPECT_EQ(name_words("url图片2"), (Words{"url", "图片2"}));
}

TEST(NameWords, AreNoneInANameOfMarks) {
  for (const char *name : {"", "_", "-- ."}) EXPECT_EQ(name_words(name), Words()) << name;
}

}  // namespace
}  // namespace genclip
