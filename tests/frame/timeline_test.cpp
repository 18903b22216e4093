// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which media time an edit list displays when.
#include "plugin/frame/timeline.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

constexpr GstClockTime kLast = GST_CLOCK_TIME_NONE;
constexpr GstClockTime kSecond = GST_SECOND;

Edit part(GstClockTime shown, GstClockTime media, GstClockTime length) {
  return {shown, shown + length, media, media + length};
}

Edit gap(GstClockTime shown, GstClockTime length) { return {shown, shown + length, std::nullopt, kLast}; }

// Nothing from 0 to 1 s, then 5 to 7 s of the media, nothing from 3 to 4 s, then its beginning.
const std::vector<Edit> kEdits{gap(0, kSecond), part(kSecond, 5 * kSecond, 2 * kSecond),
                               gap(3 * kSecond, kSecond), part(4 * kSecond, 0, kSecond)};

TEST(Timeline, WithoutEditsIsTheMedias) {
  const auto wanted = wanted_frame({}, 3 * kSecond);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->media, 3 * kSecond);
  EXPECT_EQ(wanted->media_end, GST_CLOCK_TIME_NONE);
  EXPECT_EQ(wanted->shown(2 * kSecond), 2 * kSecond);
}

TEST(Timeline, FollowsTheEdits) {
  struct Row {
    GstClockTime time, media, media_end;
  };
  for (const Row &row : {Row{0, 5 * kSecond, 7 * kSecond}, Row{kSecond, 5 * kSecond, 7 * kSecond},
                         Row{2 * kSecond, 6 * kSecond, 7 * kSecond}, Row{3 * kSecond, kLast, 7 * kSecond},
                         Row{4 * kSecond - 2 * GST_MSECOND, kLast, 7 * kSecond}, Row{4 * kSecond, 0, kSecond},
                         Row{4 * kSecond - GST_MSECOND, 0, kSecond}, Row{4 * kSecond + 1, 1, kSecond},
                         Row{9 * kSecond, kLast, kSecond}, Row{kLast, kLast, kSecond}}) {
    const auto wanted = wanted_frame(kEdits, row.time);
    ASSERT_TRUE(wanted) << row.time;
    EXPECT_EQ(wanted->media, row.media) << row.time;
    EXPECT_EQ(wanted->media_end, row.media_end) << row.time;
  }
}

TEST(Timeline, TellsWhenAFrameIsDisplayed) {
  const auto wanted = wanted_frame(kEdits, 2 * kSecond);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->shown(6 * kSecond), 2 * kSecond);
  EXPECT_EQ(wanted->shown(4 * kSecond), kSecond) << "It began before the edit.";
}

TEST(Timeline, EndsFramesAtTheEdit) {
  const auto wanted = wanted_frame(kEdits, kLast);
  ASSERT_TRUE(wanted);
  EXPECT_FALSE(wanted->is_passed_by(kSecond - 1));
  EXPECT_TRUE(wanted->is_passed_by(kSecond));
}

TEST(Timeline, ThatDisplaysNothingHasNoFrame) {
  EXPECT_FALSE(wanted_frame({gap(0, kSecond)}, 0));
  EXPECT_FALSE(wanted_frame({gap(0, kSecond)}, kLast));
}

}  // namespace
}  // namespace genclip
