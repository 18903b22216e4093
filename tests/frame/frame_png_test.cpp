// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Colours, shape and orientation of the PNG of a raw frame.
#include "plugin/frame/frame_png.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/frame/pixels.h"

namespace genclip {
namespace {

using test::Pixels;
using test::pixels_of;

RawFrame raw_frame(const std::string &caps, const std::string &bytes,
                   GstVideoOrientationMethod orientation = GST_VIDEO_ORIENTATION_IDENTITY) {
  return {GRef<GstBuffer>::adopt(gst_buffer_new_memdup(bytes.data(), bytes.size())),
          GRef<GstCaps>::adopt(gst_caps_from_string(caps.c_str())), orientation, 0};
}

std::string filled(const std::string &pattern, int times) {
  std::string bytes;
  for (int i = 0; i < times; ++i) bytes += pattern;
  return bytes;
}

struct Colour {
  const char *colorimetry;
  const char *yuv;  // One sample of each plane.
  std::array<int, 3> rgb;
};

class FrameColours : public testing::TestWithParam<Colour> {};

// The figures are those of the standards.
TEST_P(FrameColours, AreThoseOfTheColorimetry) {
  const Colour &colour = GetParam();
  const std::string yuv = colour.yuv;
  const auto frame = frame_png(
      raw_frame(std::string("video/x-raw,format=I420,width=16,height=16,framerate=1/1,colorimetry=") +
                    colour.colorimetry,
                filled(yuv.substr(0, 1), 256) + filled(yuv.substr(1, 1), 64) + filled(yuv.substr(2, 1), 64)));
  ASSERT_TRUE(frame) << frame.error().text;
  const Pixels pixels = pixels_of(frame->png);
  EXPECT_EQ(pixels.format, "RGB");
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(pixels.at(8, 8)[i], colour.rgb[i], 2) << i;
}

INSTANTIATE_TEST_SUITE_P(Of, FrameColours,
                         testing::Values(Colour{"bt709", "\x3F\x66\xF0", {255, 0, 0}},
                                         Colour{"bt601", "\x51\x5A\xF0", {255, 0, 0}},
                                         Colour{"1:4:0:0", "\x4C\x55\xFF", {255, 0, 0}},
                                         Colour{"1:3:5:1", "\x36\x63\xFF", {255, 0, 0}},
                                         Colour{"bt709", "\x7E\x80\x80", {128, 128, 128}}));

constexpr const char *kRedGreen = "video/x-raw,format=RGB,width=4,height=2,framerate=1/1";
// Red above green.
std::string red_over_green() {
  return filled("\xFF" + std::string(2, '\0'), 4) + filled(std::string("\0\xFF\0", 3), 4);
}

TEST(FramePng, KeepsPixelsAsTheyAre) {
  const auto frame = frame_png(raw_frame(kRedGreen, red_over_green()));
  ASSERT_TRUE(frame) << frame.error().text;
  EXPECT_EQ(frame->width, 4u);
  EXPECT_EQ(frame->height, 2u);
  const Pixels pixels = pixels_of(frame->png);
  EXPECT_EQ(pixels.at(3, 0), (std::array{255, 0, 0, 255}));
  EXPECT_EQ(pixels.at(3, 1), (std::array{0, 255, 0, 255}));
}

TEST(FramePng, TurnsThePictureUpright) {
  const auto frame = frame_png(raw_frame(kRedGreen, red_over_green(), GST_VIDEO_ORIENTATION_90R));
  ASSERT_TRUE(frame) << frame.error().text;
  EXPECT_EQ(frame->width, 2u);
  EXPECT_EQ(frame->height, 4u);
  const Pixels pixels = pixels_of(frame->png);
  EXPECT_EQ(pixels.at(1, 0), (std::array{255, 0, 0, 255}));
  EXPECT_EQ(pixels.at(0, 0), (std::array{0, 255, 0, 255}));
}

TEST(FramePng, HasSquarePixels) {
  const auto frame =
      frame_png(raw_frame(std::string(kRedGreen) + ",pixel-aspect-ratio=3/2", red_over_green()));
  ASSERT_TRUE(frame) << frame.error().text;
  EXPECT_EQ(frame->width, 6u);
  EXPECT_EQ(frame->height, 2u);
}

TEST(FramePng, KeepsAlpha) {
  const auto frame = frame_png(
      raw_frame("video/x-raw,format=RGBA,width=2,height=2,framerate=1/1", filled("\x10\x20\x30\x40", 4)));
  ASSERT_TRUE(frame) << frame.error().text;
  const Pixels pixels = pixels_of(frame->png);
  EXPECT_EQ(pixels.format, "RGBA");
  EXPECT_EQ(pixels.at(1, 1), (std::array{0x10, 0x20, 0x30, 0x40}));
}

TEST(FramePng, RefusesABufferThatIsTooSmall) {
  const auto frame = frame_png(raw_frame(kRedGreen, "short"));
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().text.find("smaller than its caps"), std::string::npos) << frame.error().text;
}

}  // namespace
}  // namespace genclip
