// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which pictures begin a window, as a plain value.
#include "elements/captioner/caption_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Input : public testing::Test {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }

  void begin(uint64_t start, std::optional<uint64_t> duration = {}) {
    const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string("video/x-raw,framerate=10/1"));
    input_.set_caps(caps.get());
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = segment.time = start;
    input_.set_segment(segment, duration);
  }
  void show(uint64_t time, bool live, uint64_t lasts = GST_SECOND / 10) {
    const auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new());
    GST_BUFFER_PTS(buffer.get()) = time;
    GST_BUFFER_DURATION(buffer.get()) = lasts;
    const auto taken = input_.take(buffer.get(), live);
    if (taken.asked) asked_.push_back(taken.asked->window);
    if (taken.behind) behind_.push_back(*taken.behind);
  }
  void show_all(uint64_t from, uint64_t until, bool live) {
    for (uint64_t at = from; at < until; at += GST_SECOND / 10) show(at, live);
  }
  std::vector<uint64_t> starts() const {
    std::vector<uint64_t> all;
    for (const TimeSpan &one : asked_) all.push_back(one.start / GST_SECOND);
    return all;
  }

  CaptionInput input_{InputSettings{.interval = 5 * GST_SECOND}};
  std::vector<TimeSpan> asked_;
  std::vector<uint64_t> behind_;
};

TEST_F(Input, OneWrongTimeOfALivePictureChangesNothing) {
  begin(0);
  show_all(0, 7 * GST_SECOND, true);
  show(3600 * GST_SECOND, true);
  show_all(7 * GST_SECOND, 16 * GST_SECOND, true);
  EXPECT_THAT(starts(), ElementsAre(0, 5, 10, 15));
  EXPECT_THAT(behind_, IsEmpty());
}

TEST_F(Input, TwoLivePicturesOfALaterTimeAreBelieved) {
  begin(0);
  show_all(0, 7 * GST_SECOND, true);
  show_all(3600 * GST_SECOND, 3603 * GST_SECOND, true);
  EXPECT_THAT(starts(), ElementsAre(0, 5, 3600));
}

TEST_F(Input, LivePicturesThatAreEachFarApartAreAllBelieved) {
  begin(0);
  for (uint64_t at = 0; at < 600; at += 90) show(at * GST_SECOND, true, 90 * GST_SECOND);
  EXPECT_THAT(asked_, SizeIs(7));
  input_.reset();
  asked_.clear();
  for (uint64_t at = 0; at < 600; at += 90) show(at * GST_SECOND, true);
  EXPECT_THAT(asked_, SizeIs(6)) << "the second one might be wrong; no caps or duration says so";
}

TEST_F(Input, OfAFileJumpsAtOnce) {
  begin(0);
  show_all(0, 2 * GST_SECOND, false);
  show(3600 * GST_SECOND, false);
  EXPECT_THAT(starts(), ElementsAre(0, 3600));
}

// As long as it lasts, also where another picture has begun its window.
TEST_F(Input, APictureThatLastsLongerThanAWindowBeginsTheNextOne) {
  begin(0);
  const std::pair<uint64_t, uint64_t> slides[] = {{0, 12}, {12, 2}, {14, 26}, {40, 5},
                                                  {45, 1}, {46, 5}, {51, 1}};
  for (const auto &[at, lasts] : slides) show(at * GST_SECOND, false, lasts * GST_SECOND);
  const auto span = [](uint64_t from, uint64_t until) {
    return TimeSpan{from * GST_SECOND, until * GST_SECOND};
  };
  EXPECT_THAT(asked_,
              ElementsAre(span(0, 12), span(10, 15), span(15, 40), span(40, 45), span(45, 50), span(50, 55)));
}

TEST_F(Input, TellsOnceOfLiveTimesThatStayBehind) {
  begin(0);
  show_all(100 * GST_SECOND, 102 * GST_SECOND, true);
  show_all(20 * GST_SECOND, 24 * GST_SECOND, true);
  EXPECT_THAT(behind_, IsEmpty());
  show_all(24 * GST_SECOND, 40 * GST_SECOND, true);
  ASSERT_THAT(behind_, SizeIs(1));
  EXPECT_GT(behind_[0], 70 * GST_SECOND);
  EXPECT_LT(behind_[0], 80 * GST_SECOND);
}

// MPEG-TS begins at any time, and tells its length.
TEST_F(Input, TheLastWindowEndsWhereTheLengthIsCountedFromTheFirstPicture) {
  begin(780'000'000, 20 * GST_SECOND);
  show_all(780'000'000, 20'780'000'000, false);
  ASSERT_THAT(asked_, SizeIs(5));
  EXPECT_EQ(asked_.back(), (TimeSpan{20 * GST_SECOND, 20'780'000'000}));
}

TEST_F(Input, ASoughtPlaceIsNotTheBeginningOfTheStream) {
  const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string("video/x-raw,framerate=10/1"));
  input_.set_caps(caps.get());
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 7 * GST_SECOND;
  input_.set_segment(segment, 12 * GST_SECOND, true);
  show(11 * GST_SECOND, false);
  EXPECT_EQ(asked_.back(), (TimeSpan{11 * GST_SECOND, 12 * GST_SECOND}));
}

TEST_F(Input, TheLengthOfAnotherStreamIsCountedFromItsOwnBeginning) {
  begin(780'000'000, 20 * GST_SECOND);
  input_.reset();
  begin(17 * GST_SECOND, 20 * GST_SECOND);  // a seek
  show(19 * GST_SECOND, false);
  EXPECT_EQ(asked_.back(), (TimeSpan{19 * GST_SECOND, 20 * GST_SECOND}));
  input_.begin_stream();
  begin(2 * GST_SECOND, 20 * GST_SECOND);
  show(21 * GST_SECOND, false);
  EXPECT_EQ(asked_.back(), (TimeSpan{21 * GST_SECOND, 22 * GST_SECOND}));
}

}  // namespace
}  // namespace genclip
