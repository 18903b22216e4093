// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which picture, and which sound, belongs to which frame; which clip is on the air.
#include <gtest/gtest.h>

#include <array>

#include "elements/channelsrc/picture_track.h"
#include "elements/channelsrc/program_line.h"
#include "elements/channelsrc/sound_track.h"

namespace genclip::test {
namespace {

constexpr FrameGrid kGrid{25, 1, 48000};

GRef<GstBuffer> numbered(uint64_t number) {
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new());
  GST_BUFFER_OFFSET(buffer.get()) = number;
  return buffer;
}

// -1: not yet, -2: never.
int64_t shown(PictureTrack &track, uint64_t index) {
  const auto found = track.at(index);
  if (found.answer == TrackAnswer::not_yet) return -1;
  return found.picture ? static_cast<int64_t>(GST_BUFFER_OFFSET(found.picture.get())) : -2;
}

GRef<GstBuffer> sound_of(std::initializer_list<float> samples) {
  return GRef<GstBuffer>::adopt(gst_buffer_new_memdup(std::data(samples), samples.size() * sizeof(float)));
}

TrackAnswer read_sound(SoundTrack &track, uint64_t first, std::array<float, 4> &out) {
  out.fill(0);
  return track.read(first, out.size(), reinterpret_cast<uint8_t *>(out.data()));
}

}  // namespace

TEST(FrameGrid, RoundsAsAggregatorsDo) {
  constexpr FrameGrid ntsc{30000, 1001, 48000};
  EXPECT_EQ(ntsc.time_of(1), 33366667U);
  EXPECT_EQ(ntsc.time_of(30000), 1001 * GST_SECOND);
  EXPECT_EQ(ntsc.sample_of(1), 1602U);
  EXPECT_EQ(ntsc.sample_of(5), 8008U);
  for (uint64_t frame = 0; frame < 100000; frame += 37) EXPECT_EQ(ntsc.frame_at(ntsc.time_of(frame)), frame);
}

TEST(FrameGrid, TellsWhenAFrameBeginsWheneverItIsAsked) {
  const std::chrono::system_clock::time_point start{std::chrono::seconds(1795345200)};
  for (uint64_t ms = 0; ms < 200; ++ms) {
    const FrameTime seen = kGrid.frame_time(ms * GST_MSECOND, start + std::chrono::milliseconds(ms));
    EXPECT_EQ(seen.frame, (ms + 20) / 40);
    EXPECT_EQ(seen.wall, start + std::chrono::milliseconds(40 * seen.frame)) << ms;
  }
}

TEST(PictureTrack, KnowsAPictureWhenTheNextOneIsThere) {
  PictureTrack track(kGrid, false, 0);
  track.add(numbered(0), 0, 40 * GST_MSECOND);
  EXPECT_FALSE(track.has_first());
  EXPECT_EQ(shown(track, 0), -1);
  track.add(numbered(1), 40 * GST_MSECOND, 40 * GST_MSECOND);
  EXPECT_TRUE(track.has_first());
  EXPECT_EQ(shown(track, 0), 0);
  EXPECT_EQ(shown(track, 1), -1);
  track.end();
  EXPECT_EQ(shown(track, 1), 1);
  EXPECT_EQ(track.length(), 2U);
}

TEST(PictureTrack, LetsTheLastPictureStandForTwoFramesThatRoundingTook) {
  PictureTrack track(kGrid, false, 3);
  track.add(numbered(0), 0, 40 * GST_MSECOND);
  track.end();
  EXPECT_EQ(shown(track, 2), 0);
  EXPECT_EQ(shown(track, 3), -2);
}

TEST(PictureTrack, EndsAtOnceIfMoreThanThatIsMissing) {
  PictureTrack track(kGrid, false, 4);
  track.add(numbered(0), 0, 40 * GST_MSECOND);
  track.end();
  EXPECT_EQ(shown(track, 0), 0);
  EXPECT_EQ(shown(track, 1), -2);
}

TEST(PictureTrack, EndsAtAHoleWhereNobodyHasLookedForOne) {
  const auto track_of = [](bool ends_at_hole, uint64_t missing, uint64_t length) {
    PictureTrack track(kGrid, false, 1000, ends_at_hole);
    track.add(numbered(0), 0, 40 * GST_MSECOND);
    track.add(numbered(1), 40 * GST_MSECOND, length * 40 * GST_MSECOND);
    track.add(numbered(2), (2 + missing) * 40 * GST_MSECOND, 40 * GST_MSECOND);
    track.end();
    return track;
  };
  PictureTrack damaged = track_of(true, 300, 1);
  EXPECT_EQ(shown(damaged, 1), 1);
  EXPECT_EQ(shown(damaged, 2), -2);
  EXPECT_TRUE(damaged.has_hole());
  for (PictureTrack whole : {track_of(true, 20, 1), track_of(true, 300, 301), track_of(false, 300, 1)}) {
    EXPECT_EQ(shown(whole, 3), 1) << "a loss on the way, a slow rate, and what was counted";
    EXPECT_FALSE(whole.has_hole());
  }
}

TEST(PictureTrack, KeepsAStillForEver) {
  PictureTrack track(kGrid, true, 0);
  track.add(numbered(7), 0, GST_CLOCK_TIME_NONE);
  track.end();
  EXPECT_EQ(shown(track, 1000000), 7);
}

TEST(PictureTrack, ShowsTheFirstPictureFromTheBeginning) {
  PictureTrack track(kGrid, false, 0);
  track.add(numbered(0), 120 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  track.add(numbered(1), 160 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  track.end();
  EXPECT_EQ(shown(track, 0), 0);
  EXPECT_EQ(shown(track, 3), 0);
  EXPECT_EQ(shown(track, 4), 1);
}

TEST(PictureTrack, IgnoresTheRoundingOfTimes) {
  PictureTrack track(kGrid, false, 0);
  for (uint64_t number = 0; number < 50; ++number)
    track.add(numbered(number), number * 40 * GST_MSECOND + (number % 3) * 900 * GST_USECOND,
              GST_CLOCK_TIME_NONE);
  track.end();
  for (uint64_t index = 0; index < 50; ++index) EXPECT_EQ(shown(track, index), static_cast<int64_t>(index));
}

TEST(PictureTrack, OfTwoForOneFrameShowsTheLater) {
  PictureTrack track(kGrid, false, 0);
  track.add(numbered(0), 0, GST_CLOCK_TIME_NONE);
  track.add(numbered(1), 30 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  track.add(numbered(2), 50 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  track.add(numbered(3), 80 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  EXPECT_EQ(shown(track, 0), 0);
  EXPECT_EQ(shown(track, 1), 2);
}

TEST(SoundTrack, IsSilentWhereTheClipHasNoSound) {
  SoundTrack track(kGrid, sizeof(float));
  std::array<float, 4> out;
  EXPECT_EQ(read_sound(track, 0, out), TrackAnswer::not_yet);
  track.add(sound_of({1, 2, 3, 4}), kGrid.time_of_sample(2));
  EXPECT_EQ(read_sound(track, 0, out), TrackAnswer::here);
  EXPECT_EQ(out, (std::array<float, 4>{0, 0, 1, 2}));
  EXPECT_EQ(read_sound(track, 4, out), TrackAnswer::not_yet);
  track.end();
  EXPECT_EQ(read_sound(track, 4, out), TrackAnswer::here);
  EXPECT_EQ(out, (std::array<float, 4>{3, 4, 0, 0}));
  EXPECT_EQ(read_sound(track, 8, out), TrackAnswer::here);
}

TEST(SoundTrack, FollowsItsSamplesUntilTheTimesDifferByMoreThanRounding) {
  SoundTrack track(kGrid, sizeof(float));
  std::array<float, 4> out;
  track.add(sound_of({1, 2, 3, 4}), 0);
  track.add(sound_of({5, 6, 7, 8}), kGrid.time_of_sample(4) + GST_MSECOND);
  EXPECT_EQ(read_sound(track, 4, out), TrackAnswer::here);
  EXPECT_EQ(out, (std::array<float, 4>{5, 6, 7, 8}));
  track.add(sound_of({9, 10, 11, 12}), 10 * GST_MSECOND);
  EXPECT_EQ(read_sound(track, 8, out), TrackAnswer::here);
  EXPECT_EQ(out, (std::array<float, 4>{0, 0, 0, 0}));
  EXPECT_EQ(read_sound(track, 480, out), TrackAnswer::here);
  EXPECT_EQ(out, (std::array<float, 4>{9, 10, 11, 12}));
}

TEST(SoundTrack, SkipsWhatComesTooLate) {
  SoundTrack track(kGrid, sizeof(float));
  std::array<float, 4> out;
  track.add(sound_of({1, 2, 3, 4}), 0);
  EXPECT_EQ(read_sound(track, 0, out), TrackAnswer::here);
  EXPECT_EQ(read_sound(track, 4, out), TrackAnswer::not_yet);
  EXPECT_EQ(read_sound(track, 8, out), TrackAnswer::not_yet);  // Four samples were given up.
  track.add(sound_of({5, 6, 7, 8}), GST_CLOCK_TIME_NONE);
  track.add(sound_of({9, 10, 11, 12}), GST_CLOCK_TIME_NONE);
  EXPECT_EQ(read_sound(track, 8, out), TrackAnswer::here);
  EXPECT_EQ(out, (std::array<float, 4>{9, 10, 11, 12}));
}

TEST(ProgramLine, EndsWhatWasThereAndForgetsWhatIsPast) {
  ProgramLine line;
  line.take({nullptr, 1, 10, 20});
  line.take({nullptr, 2, 15, 30});
  EXPECT_FALSE(line.at(9));
  EXPECT_EQ(line.at(14)->cue, 1U);
  EXPECT_EQ(line.at(15)->cue, 2U);
  EXPECT_EQ(line.at(29)->cue, 2U);
  EXPECT_FALSE(line.at(30));
  line.forget_before(14);
  EXPECT_EQ(line.removed().size(), 0U);
  line.forget_before(15);
  EXPECT_EQ(line.removed().size(), 1U);
  line.take({nullptr, 3, 15, 16});
  EXPECT_EQ(line.removed().size(), 1U);
  EXPECT_EQ(line.at(15)->cue, 3U);
}

TEST(ProgramLine, FillsAHoleUpToTheNextPiece) {
  ProgramLine line;
  line.take({nullptr, 1, 10, 20});
  line.fill(nullptr, 4);
  EXPECT_EQ(line.at(9)->cue, 0U);
  EXPECT_EQ(line.at(10)->cue, 1U);
  line.fill(nullptr, 20);
  EXPECT_EQ(line.at(1000)->cue, 0U);
}

}  // namespace genclip::test
