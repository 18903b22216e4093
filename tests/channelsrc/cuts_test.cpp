// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each cut is on its frame, to the picture and to the sample.
#include <gtest/gtest.h>

#include <random>

#include "tests/channelsrc/stand.h"

namespace genclip::test {
namespace {

struct Shown {
  unsigned clip;
  uint64_t start, frames;
};

// Files of different lengths, in H.264 with B-frames and AAC.
class Library {
 public:
  explicit Library(const std::string &rate = "25/1") {
    for (unsigned clip = 1; clip <= 6; ++clip) {
      lengths_.push_back(12 + clip * 7);
      MarkedMedia media{.clip = clip, .frames = lengths_.back(), .rate = rate};
      media.size = "width=160,height=90";
      media.video = "x264enc bframes=2 key-int-max=15 ! h264parse";
      make_marked_media(path(clip), media);
    }
  }
  std::string path(unsigned clip) const { return folder_.file("clip-" + std::to_string(clip) + ".mp4"); }
  uint64_t frames(unsigned clip) const { return lengths_[clip - 1]; }

 private:
  TemporaryFolder folder_;
  std::vector<unsigned> lengths_;
};

// The sound's ticks are where the pictures of their seconds are.
void expect_sound_with_picture(Stand &stand, const std::vector<Shown> &all, unsigned fps_n, unsigned fps_d) {
  const auto seconds = find_seconds(stand.sound(), 48000);
  std::vector<int64_t> expected;
  for (const Shown &shown : all) {
    const auto start =
        static_cast<int64_t>(gst_util_uint64_scale_round(shown.start, uint64_t{48000} * fps_d, fps_n));
    const double length = static_cast<double>(shown.frames) * fps_d / fps_n;
    for (int second = 0; second + 0.12 < length; ++second) expected.push_back(start + second * 48000);
  }
  ASSERT_EQ(seconds.size(), expected.size());
  for (size_t index = 0; index < expected.size(); ++index)
    EXPECT_NEAR(static_cast<double>(seconds[index]), static_cast<double>(expected[index]), 24) << index;
}

void play_random_cuts(const std::string &rate, unsigned fps_n, unsigned fps_d) {
  const Library library(rate);
  Stand stand({.video = "video/x-raw,format=I420,width=160,height=90,framerate=" + rate});
  std::mt19937 random(20);
  std::vector<Shown> all;
  stand.set_state(GST_STATE_PLAYING);
  uint64_t next = 100;
  for (int cut = 0; cut < 50; ++cut) {
    const auto clip = static_cast<unsigned>(1 + random() % 6);
    uint64_t frames = library.frames(clip);
    const CueId cue = stand.stage().cue(media_of(library.path(clip)), frames);
    ASSERT_EQ(stand.wait_for(cue), CueState::ready) << stand.stage().failure(cue);
    // More of the slate on a machine that is too busy.
    next = std::max(next, stand.stage().earliest_frame() + 50);
    stand.stage().take(cue, next, frames);
    // One of three is cut short; after one of five comes the slate.
    if (random() % 3 == 0) frames -= random() % (frames - 8);
    all.push_back({clip, next, frames});
    next += frames;
    stand.stage().take(0, next, 10);
    if (random() % 5 == 0) next += 10;
    // Some clips are ahead.
    if (cut >= 4) stand.wait_for_frames(all[static_cast<size_t>(cut) - 4].start);
  }
  stand.stage().take(0, next, 10);
  stand.stage().end(next + 10);
  stand.wait_for_end();

  EXPECT_EQ(stand.frames().size(), next + 10);
  EXPECT_EQ(stand.sound().size(), gst_util_uint64_scale_round(next + 10, uint64_t{48000} * fps_d, fps_n));
  stand.expect_exact_times();
  uint64_t end = 0;
  for (const Shown &shown : all) {
    stand.expect_slate(end, shown.start - end);
    stand.expect_clip(shown.clip, shown.start, shown.frames);
    end = shown.start + shown.frames;
  }
  expect_sound_with_picture(stand, all, fps_n, fps_d);
  const StageCounts counts = stand.stage().counts();
  EXPECT_EQ(counts.frames, next + 10);
  EXPECT_EQ(counts.audio_frames, stand.sound().size());
  EXPECT_EQ(counts.dropped, 0U);
  EXPECT_EQ(stand.error(), "");
}

}  // namespace

TEST(Cuts, EveryFrameOfFiftyRandomClipsIsShownOnceWhereItWasPlanned) { play_random_cuts("25/1", 25, 1); }

TEST(Cuts, AreExactAtTheRateOfNtsc) { play_random_cuts("30000/1001", 30000, 1001); }

TEST(Cuts, ATakeEndsWhatIsOnTheAir) {
  const Library library;
  // Half a second for each call, even on a busy machine.
  Stand stand({.speed = 2});
  const CueId first = stand.stage().cue(media_of(library.path(6)), 54);
  const CueId second = stand.stage().cue(media_of(library.path(1)), 19);
  stand.set_state(GST_STATE_PLAYING);
  ASSERT_EQ(stand.wait_for(first), CueState::ready);
  ASSERT_EQ(stand.wait_for(second), CueState::ready);
  const uint64_t start = stand.stage().earliest_frame() + 25;
  ASSERT_TRUE(stand.stage().take(first, start, 54));
  stand.wait_for_frames(start + 5);
  const uint64_t cut = stand.stage().earliest_frame() + 25;
  ASSERT_TRUE(stand.stage().take(second, cut, 19));
  stand.wait_for_frames(cut + 25);
  ASSERT_LT(cut, start + 54);
  stand.expect_slate(0, start);
  stand.expect_clip(6, start, cut - start);
  stand.expect_clip(1, cut, 19);
  stand.expect_slate(cut + 19, 6);
}

TEST(Cuts, ATakenCueIsReplacedBeforeItBegins) {
  const Library library;
  Stand stand;
  const CueId first = stand.stage().cue(media_of(library.path(6)), 54);
  const CueId second = stand.stage().cue(media_of(library.path(1)), 19);
  ASSERT_EQ(stand.wait_for(first), CueState::ready);
  ASSERT_EQ(stand.wait_for(second), CueState::ready);
  stand.stage().take(first, 10, 54);
  stand.stage().take(second, 8, 19);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(70);
  stand.expect_slate(0, 8);
  stand.expect_clip(1, 8, 19);
  stand.expect_slate(27, 43);
}

TEST(Cuts, ATakeThatComesTooLateChangesNothing) {
  TemporaryFolder folder;
  make_marked_media(folder.file("clip.mp4"), {.frames = 50, .size = "width=160,height=90"});
  Stand stand;
  const CueId cue = stand.stage().cue(media_of(folder.file("clip.mp4")), 50);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(20);
  EXPECT_FALSE(stand.stage().take(cue, 19, 50));
  EXPECT_FALSE(stand.stage().take(0, 19, 50));
  uint64_t start = 0;
  do start = stand.stage().earliest_frame() + 5;
  while (!stand.stage().take(cue, start, 50));
  stand.wait_for_frames(start + 60);
  stand.expect_slate(0, start);
  stand.expect_clip(1, start, 50);
  stand.expect_slate(start + 50, 10);
}

}  // namespace genclip::test
