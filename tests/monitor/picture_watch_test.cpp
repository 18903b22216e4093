// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/picture_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace genclip::test {
namespace {

using namespace std::chrono_literals;

constexpr size_t kWidth = 320, kHeight = 180, kStride = 384;

class Picture {
 public:
  explicit Picture(uint8_t level) : luma_(kStride * kHeight, level) {}

  // A bright square.
  void mark(size_t left, size_t top, size_t size, uint8_t level) {
    for (size_t y = top; y < top + size; ++y)
      for (size_t x = left; x < left + size; ++x) luma_[y * kStride + x] = level;
  }
  void noise() {
    for (size_t at = 0; at < luma_.size(); ++at) luma_[at] ^= at % 3 == 0;
  }
  // What lies behind the width of a line.
  void dirty_padding(uint8_t level) {
    for (size_t y = 0; y < kHeight; ++y)
      for (size_t x = kWidth; x < kStride; ++x) luma_[y * kStride + x] = level;
  }
  void shown_on(PictureWatch &watch) const { watch.see(luma_.data(), kWidth, kHeight, kStride, 40ms); }

 private:
  std::vector<uint8_t> luma_;
};

TEST(PictureWatch, CountsHowLongThePictureStands) {
  PictureWatch watch;
  Picture picture(100);
  for (int frame = 0; frame < 26; ++frame) picture.shown_on(watch);
  EXPECT_EQ(watch.still_for(), 1s);
}

TEST(PictureWatch, BeginsAnewWithEveryChange) {
  PictureWatch watch;
  for (size_t frame = 0; frame < 50; ++frame) {
    Picture picture(100);
    picture.mark(6 * frame, 80, 8, 200);
    picture.shown_on(watch);
    EXPECT_EQ(watch.still_for(), 0ns) << frame;
  }
}

TEST(PictureWatch, SeesASlowFade) {
  PictureWatch watch;
  auto longest = 0ns;
  for (unsigned frame = 0; frame < 500; ++frame) {
    Picture(static_cast<uint8_t>(frame / 10)).shown_on(watch);
    longest = std::max(longest, watch.still_for());
  }
  EXPECT_LT(longest, 1s);
}

TEST(PictureWatch, TakesNoiseForNoChange) {
  PictureWatch watch;
  Picture picture(100);
  for (int frame = 0; frame < 26; ++frame) {
    picture.noise();
    picture.dirty_padding(static_cast<uint8_t>(frame * 9));
    picture.shown_on(watch);
  }
  EXPECT_EQ(watch.still_for(), 1s);
}

TEST(PictureWatch, TakesAFirstPictureForAChange) {
  PictureWatch watch;
  Picture(0).shown_on(watch);
  EXPECT_EQ(watch.still_for(), 0ns);
}

TEST(PictureWatch, SurvivesTinyPictures) {
  PictureWatch watch;
  const uint8_t dot[4] = {1, 2, 3, 4};
  for (const auto &[width, height] : {std::pair<size_t, size_t>{0, 0}, {1, 1}, {2, 2}})
    watch.see(dot, width, height, width, 40ms);
  EXPECT_GE(watch.still_for(), 0ns);
}

TEST(PictureWatch, HearsSilence) {
  PictureWatch watch;
  std::vector<float> samples(960, 0.0005F);
  for (int times = 0; times < 100; ++times) watch.hear(samples, 10ms);
  EXPECT_EQ(watch.silent_for(), 1s);
  samples[500] = -0.01F;
  watch.hear(samples, 10ms);
  EXPECT_EQ(watch.silent_for(), 0s);
}

}  // namespace
}  // namespace genclip::test
