// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/copy_times.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

using namespace std::chrono_literals;

constexpr GstClockTime kTenth = 100 * GST_MSECOND;

void add(CopyTimes &times, GstClockTime decoded, GstClockTime shown, GstClockTime duration) {
  GstBuffer *buffer = gst_buffer_new();
  GST_BUFFER_DTS(buffer) = decoded;
  GST_BUFFER_PTS(buffer) = shown;
  GST_BUFFER_DURATION(buffer) = duration;
  GstPadProbeInfo info = {};
  info.type = GST_PAD_PROBE_TYPE_BUFFER;
  info.data = buffer;
  times.take(&info);
  gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(&info));
}

// A film of pictures of a tenth of a second, as qtdemux gives it: decoded from 0 on, each shown `reordering`
// later, from the media time `start` to `stop`. It has `count` pictures.
CopyTimes film_of(GstClockTime start, GstClockTime stop, unsigned count, GstClockTime reordering = 0,
                  bool has_durations = true) {
  CopyTimes times;
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.position = start;
  segment.stop = stop;
  GstPadProbeInfo info = {};
  info.type = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;
  info.data = gst_event_new_segment(&segment);
  times.take(&info);
  gst_event_unref(GST_PAD_PROBE_INFO_EVENT(&info));
  for (unsigned i = 0; i < count; ++i)
    add(times, i * kTenth, i * kTenth + reordering, has_durations ? kTenth : GST_CLOCK_TIME_NONE);
  return times;
}

TEST(CopyTimes, APictureThatIsMissingAtTheEndIsMissed) {
  for (const bool has_durations : {true, false}) {
    EXPECT_FALSE(film_of(300 * GST_MSECOND, 7 * GST_SECOND, 70, 0, has_durations).has_lost_end({}));
    EXPECT_TRUE(film_of(300 * GST_MSECOND, 7 * GST_SECOND, 69, 0, has_durations).has_lost_end({}));
    EXPECT_TRUE(film_of(3 * GST_SECOND, 7 * GST_SECOND, 61, 0, has_durations).has_lost_end({}));
  }
}

// As the tenths of a second of their display say it, in the order of decoding.
TEST(CopyTimes, TheLastPictureLastsAsLongAsTheOneBeforeItWhateverTheirOrder) {
  for (const auto &order :
       {std::vector<GstClockTime>{0, 3, 1, 2, 6, 4, 5}, {0, 4, 2, 1, 3, 6, 5}, {0, 2, 1, 4, 3, 6, 5}}) {
    for (const auto &[stop, has_lost] : {std::pair<GstClockTime, bool>{7, false}, {8, true}}) {
      CopyTimes times = film_of(GST_SECOND, GST_SECOND + stop * kTenth, 0);
      for (const GstClockTime tenth : order)
        add(times, GST_CLOCK_TIME_NONE, GST_SECOND + tenth * kTenth, GST_CLOCK_TIME_NONE);
      EXPECT_EQ(times.has_lost_end({}), has_lost) << order[1] << " to " << stop;
    }
  }
}

TEST(CopyTimes, AContainerMayRoundTheLengthOfAFilm) {
  EXPECT_FALSE(film_of(300 * GST_MSECOND, 7 * GST_SECOND + GST_MSECOND, 70).has_lost_end({}));
}

// Its edit list leaves out the time between decoding and display alone, so a trial needs no look at its end.
TEST(CopyTimes, PicturesInAnotherOrderThanThatOfDecodingHideNothing) {
  EXPECT_FALSE(film_of(200 * GST_MSECOND, 7200 * GST_MSECOND, 70, 200 * GST_MSECOND).may_lose_end());
  EXPECT_TRUE(film_of(500 * GST_MSECOND, 7200 * GST_MSECOND, 70, 200 * GST_MSECOND).may_lose_end());
}

TEST(CopyTimes, AFilmWithoutAKnownEndLosesNone) {
  EXPECT_FALSE(film_of(GST_SECOND, GST_CLOCK_TIME_NONE, 70).may_lose_end());
}

}  // namespace
}  // namespace genclip
