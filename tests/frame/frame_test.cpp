// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The right frame out of small videos that GStreamer's encoders make. tests/frame/frames_test.py compares
// with ffmpeg.
#include "plugin/frame/frame.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "plugin/base/gref.h"
#include "tests/frame/pixels.h"
#include "tests/frame/videos.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

using test::frame_number;
using test::kFrames;
using test::make_video;
using test::TemporaryFolder;

constexpr const char *kH264 = "x264enc speed-preset=ultrafast bframes=2 key-int-max=6 ! h264parse ! ";
// In the colours of JPEG, which jpegenc does not ask for.
#define JPEG "video/x-raw,format=I420,colorimetry=1:4:0:0 ! jpegenc quality=95"
constexpr const char *kJpeg = JPEG " ! ";

FramePosition at(double seconds) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds))};
}

// Its number, or the error's text.
std::string shown(const std::string &path, FramePosition position) {
  const auto frame = frame_at(path, position);
  return frame ? std::to_string(frame_number(frame->png)) : frame.error().text;
}

class FrameOfContainer : public testing::TestWithParam<const char *> {};

TEST_P(FrameOfContainer, IsTheOneThatIsDisplayed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("clip");
  make_video(path, "10/1", GetParam());
  EXPECT_EQ(shown(path, FramePosition::first()), "0");
  EXPECT_EQ(shown(path, FramePosition::last()), std::to_string(kFrames - 1));
  EXPECT_EQ(shown(path, at(0.7)), "7");
  EXPECT_EQ(shown(path, at(0.79)), "7");
  EXPECT_EQ(shown(path, at(0.8)), "8");
  EXPECT_EQ(shown(path, at(1.95)), "19");
}

INSTANTIATE_TEST_SUITE_P(
    Of, FrameOfContainer,
    testing::Values("x264enc speed-preset=ultrafast bframes=2 key-int-max=6 ! h264parse ! mp4mux",
                    "x264enc speed-preset=ultrafast bframes=2 key-int-max=6 ! h264parse ! matroskamux",
                    "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=6 ! webmmux", JPEG " ! qtmux"));

TEST(Frame, TellsItsTimeAndSize) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", std::string(kH264) + "mp4mux");
  const auto frame = frame_at(folder.file("clip.mp4"), at(0.75));
  ASSERT_TRUE(frame) << frame.error().text;
  EXPECT_EQ(frame->time, std::chrono::milliseconds(700));
  EXPECT_EQ(frame->width, 32u);
  EXPECT_EQ(frame->height, 32u);
}

TEST(Frame, OfATimeThatIsALittleLateIsTheLastWhereThatIsAllowed) {
  const TemporaryFolder folder;
  for (const char *format : {"mp4mux", "matroskamux"}) {
    make_video(folder.file("clip"), "10/1", std::string(kH264) + format);
    FramePosition late = at(2.4);
    EXPECT_EQ(shown(folder.file("clip"), late), "is only 2.000 s long.") << format;
    late.spare = std::chrono::milliseconds(500);
    EXPECT_EQ(shown(folder.file("clip"), late), "19") << format;
    late.time = at(2.6).time;
    EXPECT_EQ(shown(folder.file("clip"), late), "is only 2.000 s long.") << format;
  }
}

TEST(Frame, HasTheSameBytesEachTime) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", std::string(kH264) + "mp4mux");
  const auto once = frame_at(folder.file("clip.mp4"), at(0.5));
  const auto again = frame_at(folder.file("clip.mp4"), at(0.5));
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->png, again->png);
}

// Frame 5 of 30 a second begins at 166.67 ms; Matroska says 167 ms.
TEST(Frame, IsFoundAtATimeThatTheContainerRounded) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mkv"), "30/1", std::string(kJpeg) + "matroskamux");
  EXPECT_EQ(shown(folder.file("clip.mkv"), at(5 / 30.0)), "5");
}

TEST(Frame, BeyondTheEndIsRefused) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", std::string(kJpeg) + "qtmux");
  const auto frame = frame_at(folder.file("clip.mp4"), at(2.1));
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::settings);
  EXPECT_EQ(frame.error().text, "is only 2.000 s long.");
}

// B-frames begin later than they are decoded, and nothing hides those at the end.
TEST(Frame, IsTheLastOneOfAFileWithoutAnEditList) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", std::string(kH264) + "mp4mux fragment-duration=300");
  EXPECT_EQ(shown(folder.file("clip.mp4"), FramePosition::first()), "0");
  EXPECT_EQ(shown(folder.file("clip.mp4"), FramePosition::last()), "19");
}

// 40 s: decoding begins near the frame.
TEST(Frame, OfALongFileIsTheSame) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "1/2", std::string(kH264) + "mp4mux");
  for (const int number : {0, 3, 8, 13, 18, 19})
    EXPECT_EQ(shown(folder.file("clip.mp4"), at(number * 2 + 1.5)), std::to_string(number));
  EXPECT_EQ(shown(folder.file("clip.mp4"), FramePosition::last()), "19");
}

// No frame begins in the seconds before the wanted time.
TEST(Frame, IsFoundBehindALongGap) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mkv"), "1/9", std::string(kJpeg) + "matroskamux");
  EXPECT_EQ(shown(folder.file("clip.mkv"), at(62.5)), "6");
  EXPECT_EQ(shown(folder.file("clip.mkv"), at(53.9)), "5");
  const auto frame = frame_at(folder.file("clip.mkv"), at(62.5));
  ASSERT_TRUE(frame) << frame.error().text;
  EXPECT_EQ(frame->time, std::chrono::seconds(54));
}

TEST(Frame, IsTheLastOneThoughTheSoundContinues) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mkv"), "2/1", std::string(kJpeg) + "matroskamux",
             "audiotestsrc num-buffers=30 samplesperbuffer=44100 ! audio/x-raw,rate=44100 ! flacenc ! mux.");
  EXPECT_EQ(shown(folder.file("clip.mkv"), FramePosition::last()), "19");
  EXPECT_EQ(shown(folder.file("clip.mkv"), at(29)), "19");
}

TEST(Frame, OfAPictureIsThePicture) {
  const TemporaryFolder folder;
  for (const char *encoder : {"pngenc snapshot=true", JPEG}) {
    const std::string path = folder.file("picture");
    test::run_pipeline(
        std::string(
            "videotestsrc num-buffers=1 pattern=blue ! video/x-raw,format=RGB,width=40,height=20 ! ") +
        "videoconvert ! " + encoder + " ! filesink location=" + path);
    for (const FramePosition position : {FramePosition::first(), FramePosition::last(), at(0)}) {
      const auto frame = frame_at(path, position);
      ASSERT_TRUE(frame) << encoder << ": " << frame.error().text;
      const test::Pixels pixels = test::pixels_of(frame->png);
      EXPECT_EQ(pixels.width, 40);
      EXPECT_EQ(pixels.height, 20);
      EXPECT_GT(pixels.at(20, 10)[2], 250);
      EXPECT_LT(pixels.at(20, 10)[0], 5);
    }
  }
}

TEST(Frame, EndsWhenCancelled) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", std::string(kH264) + "mp4mux");
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  const auto frame = frame_at(folder.file("clip.mp4"), FramePosition::last(), {}, cancellable.get());
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::cancelled);
}

TEST(Frame, EndsAfterItsTimeLimit) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", std::string(kH264) + "mp4mux");
  FrameLimits limits;
  limits.time = std::chrono::milliseconds(0);
  const auto frame = frame_at(folder.file("clip.mp4"), FramePosition::last(), limits);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::timed_out);
}

}  // namespace
}  // namespace genclip
