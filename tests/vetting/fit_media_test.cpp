// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Media that can be shown are fit, whatever their kind, and their length is that of their picture.
#include <gtest/gtest.h>

#include "tests/support/http_server.h"
#include "tests/support/marks.h"
#include "tests/support/temporary_folder.h"
#include "tests/vetting/vetted.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;
using test::make_marked_media;
using test::make_marked_still;
using test::MarkedMedia;
using test::reason;
using test::seconds;
using test::TemporaryFolder;
using test::uri_of;
using test::vet;
using test::vet_clip;
using test::vet_foreign;

constexpr const char *kX264 = "x264enc speed-preset=ultrafast key-int-max=25 threads=1 ! h264parse";

struct Kind {
  const char *name;
  MarkedMedia media;
};

const Kind kKinds[] = {
    {"usual.mp4", {}},
    {"without-sound.mp4", {.audio = ""}},
    {"b-frames.mp4", {.video = "x264enc bframes=3 b-adapt=false key-int-max=12 threads=1 ! h264parse"}},
    {"b-frames.mkv",
     {.video = "x264enc bframes=3 b-adapt=false threads=1 ! h264parse", .muxer = "matroskamux"}},
    {"index-first.mp4", {.muxer = "mp4mux faststart=true"}},
    {"fragments.mp4", {.muxer = "mp4mux fragment-duration=500"}},
    {"film.mov", {.muxer = "qtmux"}},
    {"vp8.webm",
     {.video = "vp8enc deadline=1 auto-alt-ref=true lag-in-frames=5",
      .muxer = "webmmux",
      .audio = "vorbisenc"}},
    {"vp9.webm", {.video = "vp9enc deadline=1 cpu-used=8", .muxer = "webmmux", .audio = "opusenc"}},
    {"motion-jpeg.mov", {.video = "jpegenc", .muxer = "qtmux", .audio = "audioconvert"}},
    {"odd-rate.mp4", {.frames = 60, .rate = "30000/1001"}},
    {"film.avi", {.video = "jpegenc", .muxer = "avimux", .audio = "audioconvert"}},
    {"film.flv",
     {.muxer = "flvmux", .audio = "avenc_aac ! aacparse ! audio/mpeg,mpegversion=4,stream-format=raw"}},
    {"film.ts", {.muxer = "mpegtsmux"}},
    {"hevc.mp4", {.video = "x265enc speed-preset=ultrafast ! h265parse"}},
};

double length_of(const MarkedMedia &media) {
  return media.frames / (media.rate == "30000/1001" ? 30000.0 / 1001 : 25.0);
}

class FitMedia : public ::testing::TestWithParam<Kind> {};

TEST_P(FitMedia, AreCountedAndMeasured) {
  const Kind &kind = GetParam();
  const TemporaryFolder folder;
  const std::string path = folder.file(kind.name);
  make_marked_media(path, kind.media);
  for (const bool is_generated : {true, false}) {
    const auto vetted = vet({.uri = uri_of(path), .is_generated = is_generated});
    ASSERT_EQ(reason(vetted), "fit");
    EXPECT_EQ(vetted->frames, kind.media.frames);
    EXPECT_NEAR(seconds(vetted->length), length_of(kind.media), 0.002);
    EXPECT_EQ(vetted->has_audio, !kind.media.audio.empty());
    EXPECT_FALSE(vetted->is_still);
    if (vetted->has_audio)
      EXPECT_NEAR(vetted->lufs + vetted->gain_db, -23, 0.01);
    else
      EXPECT_EQ(vetted->gain_db, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FitMedia, ::testing::ValuesIn(kKinds), [](const auto &test) {
  std::string name = test.param.name;
  for (char &letter : name)
    if (!g_ascii_isalnum(letter)) letter = '_';
  return name;
});

TEST(FitMedia, LastAsLongAsTheirPicture) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  for (const double sound : {1.0, 3.5}) {
    make_marked_media(path, {.video = kX264, .audio_seconds = sound});
    const auto vetted = vet_clip(path);
    ASSERT_EQ(reason(vetted), "fit");
    EXPECT_NEAR(seconds(vetted->length), 2, 0.001) << "sound of " << sound << " s";
    EXPECT_EQ(vetted->frames, 50u);
    EXPECT_NE(vetted->lufs, 0);
  }
}

// Whole seconds of 25 frames, 62 s of them where the file is long.
TEST(FitMedia, BeginWithAWholeFrame) {
  const TemporaryFolder folder;
  for (const unsigned frames : {50u, 1550u}) {
    const std::string path = folder.file("film.mkv");
    make_marked_media(
        path, {.frames = frames, .size = "width=160,height=96", .video = kX264, .muxer = "matroskamux"});
    for (const auto &[in, begin] : {std::pair(610, 600), std::pair(600, 600), std::pair(0, 0)}) {
      const auto vetted = vet({.uri = uri_of(path),
                               .in = milliseconds(in),
                               .length = milliseconds(1000),
                               .patience = test::kMuchPatience});
      ASSERT_EQ(reason(vetted), "fit");
      EXPECT_NEAR(seconds(vetted->in), begin / 1000.0, 0.0015) << in << " ms of " << frames << " frames";
      EXPECT_NEAR(seconds(vetted->length), 1, 0.0015);
    }
  }
}

TEST(FitMedia, NeedNotBeginAtZero) {
  const GStringPtr ffmpeg(g_find_program_in_path("ffmpeg"));
  if (!ffmpeg) GTEST_SKIP() << "ffmpeg is not installed.";
  const TemporaryFolder folder;
  for (const char *name : {"film.mkv", "film.ts", "film.mpg"}) {
    const std::string line =
        "ffmpeg -nostdin -v error -f lavfi -i testsrc=d=2:s=64x64 -f lavfi -i sine=d=2:r=48000 "
        "-output_ts_offset 5 " +
        folder.file(name);
    GErrorPtr error;
    int status = 1;
    ASSERT_TRUE(g_spawn_command_line_sync(line.c_str(), nullptr, nullptr, &status, take(error)));
    ASSERT_EQ(status, 0);
    const auto vetted = vet_foreign(folder.file(name));
    ASSERT_EQ(reason(vetted), "fit") << name;
    EXPECT_NEAR(seconds(vetted->length), 2, 0.05) << name;
  }
}

TEST(FitMedia, MeasureTheSoundWhileThereIsAPicture) {
  const GStringPtr ffmpeg(g_find_program_in_path("ffmpeg"));
  if (!ffmpeg) GTEST_SKIP() << "ffmpeg is not installed.";
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mkv");
  // It gets 40 dB louder when the picture of 2 s ends.
  const std::string line =
      "ffmpeg -nostdin -v error -f lavfi -i testsrc=d=2:s=64x64 -f lavfi -i sine=d=5:r=48000 -af "
      "\"volume=0.01:enable='lt(t,2)'\" -ac 2 -c:a flac " +
      path;
  GErrorPtr error;
  int status = 1;
  ASSERT_TRUE(g_spawn_command_line_sync(line.c_str(), nullptr, nullptr, &status, take(error)));
  ASSERT_EQ(status, 0);
  const auto vetted = vet_clip(path);
  ASSERT_EQ(reason(vetted), "fit");
  EXPECT_NEAR(seconds(vetted->length), 2, 0.05);
  EXPECT_LT(vetted->lufs, -50);
  EXPECT_LT(vetted->true_peak_db, -45);
}

TEST(FitMedia, LastAsLongAsTheWantedPart) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  make_marked_media(path, {.frames = 100, .video = kX264});
  const auto part = vet({.uri = uri_of(path), .in = milliseconds(1500), .length = milliseconds(1000)});
  ASSERT_EQ(reason(part), "fit");
  EXPECT_EQ(part->length, milliseconds(1000));
  const auto rest = vet({.uri = uri_of(path), .in = milliseconds(1500), .length = std::chrono::hours(1)});
  ASSERT_EQ(reason(rest), "fit");
  EXPECT_NEAR(seconds(rest->length), 2.5, 0.001);
  EXPECT_EQ(reason(vet({.uri = uri_of(path), .in = std::chrono::seconds(5)})),
            "It ends at 4 s, before the wanted part begins (5 s).");
}

TEST(FitMedia, AreStillsForAsLongAsAsked) {
  const TemporaryFolder folder;
  for (const auto &[name, encoder] :
       {std::pair("a.png", "pngenc"), std::pair("a.jpg", "jpegenc"), std::pair("a.webp", "webpenc")}) {
    const std::string path = folder.file(name);
    make_marked_still(path, 1, encoder);
    for (const bool is_generated : {true, false}) {
      const auto vetted =
          vet({.uri = uri_of(path), .is_generated = is_generated, .length = std::chrono::seconds(7)});
      ASSERT_EQ(reason(vetted), "fit") << name;
      EXPECT_TRUE(vetted->is_still);
      EXPECT_FALSE(vetted->has_audio);
      EXPECT_EQ(vetted->length, std::chrono::seconds(7));
      EXPECT_EQ(vetted->frames, 0u);
      EXPECT_EQ(reason(vet({.uri = uri_of(path), .is_generated = is_generated})),
                "It is a still, which needs a duration.");
      const auto fallback =
          vet({.uri = uri_of(path), .is_generated = is_generated, .still_length = std::chrono::seconds(5)});
      ASSERT_EQ(reason(fallback), "fit") << name;
      EXPECT_EQ(fallback->length, std::chrono::seconds(5));
    }
  }
}

TEST(FitMedia, AreNotCutAtTheLengthOfAStill) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  make_marked_media(path, {.frames = 50, .video = kX264, .audio = ""});
  const auto vetted = vet({.uri = uri_of(path), .still_length = std::chrono::seconds(1)});
  ASSERT_EQ(reason(vetted), "fit");
  EXPECT_NEAR(seconds(vetted->length), 2, 0.001);
}

TEST(FitMedia, OfOneFrameAreNoStill) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  make_marked_media(path, {.frames = 1, .video = kX264, .audio = ""});
  const auto vetted = vet_foreign(path);
  ASSERT_EQ(reason(vetted), "fit");
  EXPECT_FALSE(vetted->is_still);
  EXPECT_NEAR(seconds(vetted->length), 0.04, 0.001);
}

// The same sound out of two loudspeakers is twice as loud.
TEST(FitMedia, AreMeasuredAsTheyAreHeard) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  make_marked_media(path, {.frames = 50, .video = kX264, .tone = -25});
  const auto stereo = vet({.uri = uri_of(path)}), mono = vet({.uri = uri_of(path), .is_mono = true});
  ASSERT_EQ(reason(stereo), "fit");
  ASSERT_EQ(reason(mono), "fit");
  EXPECT_NEAR(stereo->lufs - mono->lufs, 3.01, 0.05);
  EXPECT_NEAR(mono->lufs + mono->gain_db, -23, 0.01);
  EXPECT_NEAR(stereo->true_peak_db, mono->true_peak_db, 0.1);
}

TEST(FitMedia, OfWhichOnlyTheEndsAreDecodedAreMeasuredWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  make_marked_media(
      path, {.frames = 350, .rate = "5/1", .size = "width=64,height=64", .video = kX264, .tone = -30});
  const auto vetted = vet_foreign(path);
  ASSERT_EQ(reason(vetted), "fit");
  EXPECT_EQ(vetted->frames, 0u) << "not counted";
  EXPECT_NEAR(seconds(vetted->length), 70, 0.001);
  EXPECT_NEAR(vetted->lufs + vetted->gain_db, -23, 0.01);
  EXPECT_EQ(vetted->gain_note, "");
  const auto clip = vet_clip(path);
  ASSERT_EQ(reason(clip), "fit");
  EXPECT_EQ(clip->frames, 350u) << "a generated clip is counted whatever its length";
  EXPECT_NEAR(clip->lufs, vetted->lufs, 0.05);
  const auto short_part = vet({.uri = uri_of(path),
                               .in = std::chrono::seconds(40),
                               .length = milliseconds(3200),
                               .patience = test::kMuchPatience});
  ASSERT_EQ(reason(short_part), "fit");
  EXPECT_EQ(short_part->length, milliseconds(3200));
  EXPECT_NEAR(short_part->lufs, vetted->lufs, 0.5);
  EXPECT_TRUE(
      reason(vet({.uri = uri_of(path), .in = std::chrono::seconds(90)})).starts_with("It ends at 70"));
  const auto part = vet({.uri = uri_of(path),
                         .in = std::chrono::seconds(5),
                         .length = std::chrono::seconds(62),
                         .patience = test::kMuchPatience});
  ASSERT_EQ(reason(part), "fit");
  EXPECT_NEAR(seconds(part->length), 62, 0.001);
}

TEST(FitMedia, WithoutAnEndAreDecodedAsFarAsWanted) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mkv");
  make_marked_media(path,
                    {.frames = 500, .video = kX264, .muxer = "matroskamux streamable=true", .audio = ""});
  // Without its length, as of a stream that goes on.
  const test::HttpServer server(
      test::always("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + test::bytes_of(path)));
  const auto vetted =
      vet({.uri = server.url("/film.mkv"), .in = milliseconds(500), .length = milliseconds(1000)});
  ASSERT_EQ(reason(vetted), "fit");
  EXPECT_EQ(vetted->length, milliseconds(1000));
  EXPECT_EQ(vetted->frames, 38u) << "those up to 1.5 s";
}

TEST(FitMedia, AreFetchedByHttp) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  make_marked_media(path, {.video = kX264, .muxer = "mp4mux faststart=true"});
  const test::HttpServer server(test::always(test::answer(200, test::bytes_of(path))));
  const auto vetted = vet({.uri = server.url("/film.mp4")});
  ASSERT_EQ(reason(vetted), "fit");
  EXPECT_EQ(vetted->frames, 50u);
}

}  // namespace
}  // namespace genclip
