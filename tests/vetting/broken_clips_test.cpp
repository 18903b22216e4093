// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A clip of which something is missing or damaged is not fit, and the reason says what.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "tests/support/http_server.h"
#include "tests/support/marks.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"
#include "tests/vetting/vetted.h"

namespace genclip {
namespace {

using test::make_marked_media;
using test::reason;
using test::TemporaryFolder;
using test::uri_of;
using test::vet;
using test::vet_clip;
using test::vet_foreign;
using test::write_bytes;

constexpr const char *kIndexFirst = "mp4mux faststart=true";

std::string clip_bytes(const test::MarkedMedia &media = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.file("clip.mp4");
  make_marked_media(path, media);
  return test::bytes_of(path);
}

std::string reason_for(const std::string &bytes, bool is_generated = true, const char *name = "clip.mp4",
                       std::chrono::seconds patience = test::kMuchPatience) {
  const TemporaryFolder folder;
  const std::string path = folder.file(name);
  write_bytes(path, bytes);
  return reason(vet({.uri = uri_of(path), .is_generated = is_generated, .patience = patience}));
}

// Whether the reason contains these words.
bool says(const std::string &text, const std::string &words) { return text.find(words) != text.npos; }

// The content of the box `type` number `index` anywhere in the file.
size_t box_content(const std::string &bytes, const std::string &type, int index = 0) {
  size_t at = bytes.find(type);
  while (index-- > 0) at = bytes.find(type, at + 4);
  EXPECT_NE(at, bytes.npos) << type;
  return at + 4;
}

uint32_t number_at(const std::string &bytes, size_t place) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes.at(place + i));
  return value;
}

void set_number(std::string &bytes, size_t place, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) bytes.at(place + i) = static_cast<char>(value >> 8 * (3 - i));
}

// Runs ffmpeg on the clip; the new clip.
std::string through_ffmpeg(const std::string &bytes, const std::string &options) {
  const TemporaryFolder folder;
  write_bytes(folder.file("in.mp4"), bytes);
  const std::string line =
      "ffmpeg -nostdin -v error -i " + folder.file("in.mp4") + " " + options + " " + folder.file("out.mp4");
  GErrorPtr error;
  int status = 1;
  EXPECT_TRUE(g_spawn_command_line_sync(line.c_str(), nullptr, nullptr, &status, take(error)));
  EXPECT_EQ(status, 0) << line;
  return test::bytes_of(folder.file("out.mp4"));
}

bool has_ffmpeg() { return GStringPtr(g_find_program_in_path("ffmpeg")) != nullptr; }

TEST(BrokenClip, WithZerosInTheMiddleIsFound) {
  for (const char *video :
       {"x264enc speed-preset=ultrafast key-int-max=25 ! h264parse",
        "x264enc bframes=3 key-int-max=50 ! h264parse", "x265enc speed-preset=ultrafast ! h265parse"}) {
    const std::string whole = clip_bytes({.video = video, .audio = ""});
    ASSERT_EQ(reason_for(whole), "fit");
    const size_t mdat = box_content(whole, "mdat"), size = number_at(whole, mdat - 8) - 8;
    for (const size_t zeros : {100, 3000}) {
      std::string broken = whole;
      broken.replace(mdat + size / 2, zeros, zeros, '\0');
      EXPECT_NE(reason_for(broken), "fit") << video << ", " << zeros;
    }
  }
}

TEST(BrokenClip, WhoseDecoderLosesFramesWithoutAnErrorIsFound) {
  // Several whole pictures are zeros.
  std::string broken = clip_bytes({.audio = ""});
  const size_t mdat = box_content(broken, "mdat"), size = number_at(broken, mdat - 8) - 8;
  broken.replace(mdat + size / 4, size / 2, size / 2, '\0');
  EXPECT_NE(reason_for(broken), "fit");
  EXPECT_TRUE(says(reason_for(broken, false), "of its 50 frames can be decoded"))
      << reason_for(broken, false);
}

TEST(BrokenClip, ThatIsCutIsFound) {
  for (const char *muxer : {"mp4mux", kIndexFirst}) {
    const std::string whole = clip_bytes({.muxer = muxer});
    ASSERT_EQ(reason_for(whole), "fit");
    for (const double part : {0.2, 0.6, 0.95}) {
      const std::string broken =
          whole.substr(0, static_cast<size_t>(part * static_cast<double>(whole.size())));
      for (const bool is_generated : {true, false})
        EXPECT_EQ(reason_for(broken, is_generated), "The end of its file is missing.")
            << muxer << " " << part;
    }
  }
}

TEST(BrokenClip, ThatIsCutInAnotherContainerIsFound) {
  const std::string whole =
      clip_bytes({.frames = 100, .muxer = "matroskamux", .audio = "flacenc", .audio_delay = 0});
  ASSERT_EQ(reason_for(whole, true, "clip.mkv"), "fit");
  for (const double part : {0.2, 0.6, 0.9})
    EXPECT_NE(reason_for(whole.substr(0, static_cast<size_t>(part * static_cast<double>(whole.size()))), true,
                         "clip.mkv"),
              "fit")
        << part;
}

TEST(BrokenClip, WhoseIndexHasFewerTimesThanFramesIsFound) {
  std::string broken = clip_bytes({.audio = ""});
  const size_t times = box_content(broken, "stts");
  ASSERT_EQ(number_at(broken, times + 4), 1u);
  ASSERT_EQ(number_at(broken, times + 8), 50u);
  set_number(broken, times + 8, 25);
  EXPECT_TRUE(says(reason_for(broken), "the table of its frames is damaged")) << reason_for(broken);
}

TEST(BrokenClip, WhoseIndexSaysOtherTimesIsFoundByTheLengthThatTheServiceTold) {
  std::string broken = clip_bytes({.audio = ""});
  const size_t times = box_content(broken, "stts");
  set_number(broken, times + 12, number_at(broken, times + 12) / 2);
  const TemporaryFolder folder;
  const std::string path = folder.file("clip.mp4");
  write_bytes(path, broken);
  EXPECT_EQ(reason(vet({.uri = uri_of(path), .is_generated = true, .expected = std::chrono::seconds(2)})),
            "It lasts 1.02 s instead of 2 s.");
}

TEST(BrokenClip, MayBeALittleShorterOrLongerThanTheServiceTold) {
  const TemporaryFolder folder;
  const std::string path = folder.file("clip.mp4");
  make_marked_media(path);
  for (const int expected : {1000, 1960, 2000, 2400})
    EXPECT_EQ(
        reason(vet(
            {.uri = uri_of(path), .is_generated = true, .expected = std::chrono::milliseconds(expected)})),
        "fit")
        << expected;
  EXPECT_EQ(
      reason(vet({.uri = uri_of(path), .is_generated = true, .expected = std::chrono::milliseconds(2600)})),
      "It lasts 2 s instead of 2.6 s.");
}

TEST(BrokenClip, WithoutOneOfItsSamplesIsFound) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed.";
  const std::string whole = clip_bytes({.audio = ""});
  EXPECT_EQ(reason_for(through_ffmpeg(whole, "-c copy")), "fit");
  EXPECT_EQ(reason_for(through_ffmpeg(whole, "-c copy -bsf:v 'noise=drop=eq(n\\,20)'")),
            "A frame is missing at 0.8 s.");
  EXPECT_EQ(reason_for(through_ffmpeg(whole, "-c copy -bsf:v 'noise=drop=between(n\\,30\\,32)'")),
            "3 frames are missing at 1.2 s.");
}

TEST(FitClip, OfFfmpegIsFit) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed.";
  const std::string whole = clip_bytes({.frames = 53});
  for (const char *options : {
           "-c:v libx264 -bf 3 -g 25 -c:a aac",
           "-c:v libx264 -bf 3 -g 26 -c:a aac -movflags +faststart",
           "-c:v libx264 -bf 3 -g 17 -c:a aac -movflags +frag_keyframe",
           "-c:v libx264 -bf 2 -an -r 24",
           "-c:v libx264 -bf 0 -vf setpts=PTS+0.3/TB -c:a aac",
           "-c:v libx264 -vf 'select=lt(mod(n\\,5)\\,3)' -vsync vfr -c:a aac",
           "-c:v libx265 -x265-params log-level=none -c:a aac -tag:v hvc1",
           "-c:v mpeg4 -c:a aac",
       })
    EXPECT_EQ(reason_for(through_ffmpeg(whole, options)), "fit") << options;
}

TEST(NoMedia, AreRefusedWithAReason) {
  const TemporaryFolder folder;
  for (const bool is_generated : {true, false}) {
    EXPECT_NE(reason_for("", is_generated), "fit");
    EXPECT_NE(reason_for("Not a film.\n", is_generated), "fit");
    EXPECT_NE(reason_for(std::string(100000, '\0'), is_generated), "fit");
    for (const char *uri : {"file:///nonexistent/clip.mp4", "file:///", "file:///dev/zero", "nonsense:x", ""})
      EXPECT_NE(reason(vet({.uri = uri, .is_generated = is_generated, .patience = std::chrono::seconds(2)})),
                "fit")
          << uri;
  }
  EXPECT_TRUE(says(reason(vet_clip("/nonexistent/clip.mp4")), "cannot be opened"));
}

TEST(NoMedia, APipeIsNotOpened) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe.mp4");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(reason(vet_foreign(path)), "It is not a regular file.");
}

TEST(NoMedia, SoundAloneHasNoPicture) {
  const TemporaryFolder folder;
  const std::string path = folder.file("sound.mkv");
  make_marked_media(path, {.frames = 0, .muxer = "matroskamux", .audio_seconds = 1});
  EXPECT_EQ(reason(vet_foreign(path)), "It has no picture that can be decoded.");
  EXPECT_EQ(reason(vet_clip(path)), "It has no picture that can be decoded.");
}

TEST(NoMedia, AGeneratedPlaylistOpensNoOtherFile) {
  const TemporaryFolder folder;
  make_marked_media(folder.file("other.ts"), {.muxer = "mpegtsmux"});
  const std::string path = folder.file("clip.m3u8");
  write_bytes(path, "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n" +
                        uri_of(folder.file("other.ts")) + "\n#EXT-X-ENDLIST\n");
  EXPECT_NE(reason(vet_clip(path)), "fit");
}

TEST(NoMedia, APictureThatIsTooLargeIsRefusedBeforeItIsDecoded) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.png");
  test::make_marked_still(path, 1);
  std::string bytes = test::bytes_of(path);
  const size_t header = box_content(bytes, "IHDR");
  set_number(bytes, header, 60000);
  set_number(bytes, header + 4, 60000);
  write_bytes(path, bytes);
  EXPECT_TRUE(says(reason(vet({.uri = uri_of(path), .length = std::chrono::seconds(5)})), "megapixels"))
      << reason(vet({.uri = uri_of(path), .length = std::chrono::seconds(5)}));
}

// Of these, no typefinder and no parser tells the size.
TEST(NoMedia, PicturesOfAnyFormatAreRefusedBeforeTheyAreDecodedIfTooLarge) {
  const auto with_rest = [](const char *bytes, size_t size) {
    return std::string(bytes, size) + std::string(64, '\0');
  };
  const std::string webp = std::string("RIFF\x60\0\0\0WEBP", 12);
  const struct {
    const char *name;
    std::string bytes;
    const char *decoder;
  } rows[] = {
      {"lossy.webp", webp + with_rest("VP8 \x4c\0\0\0\x90\x1a\0\x9d\x01\x2a\xff\x3f\xff\x3f", 18), "webpdec"},
      {"lossless.webp", webp + with_rest("VP8L\x4c\0\0\0/\xff\xff\xff\x0f", 13), "webpdec"},
      {"canvas.webp", webp + with_rest("VP8X\x0a\0\0\0\0\0\0\0\xff\x3f\0\xff\x3f\0", 18), "webpdec"},
      {"scan.tiff",
       with_rest(
           "II*\0\x08\0\0\0\x02\0\0\x01\x03\0\x01\0\0\0\xff\x3f\0\0\x01\x01\x03\0\x01\0\0\0\xff\x3f\0\0", 34),
       "avdec_tiff"},
      {"still.gif", with_rest("GIF89a\xff\x3f\xff\x3f\x80\0\0\0\0\0\xff\xff\xff", 19), "avdec_gif"},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.name);
    if (!GRef<GstElementFactory>::adopt(gst_element_factory_find(row.decoder))) continue;
    const std::string of_file = reason_for(row.bytes, false, row.name);
    ASSERT_TRUE(says(of_file, "megapixels")) << of_file;
    const test::HttpServer server(test::always(test::answer(200, row.bytes)));
    const std::string of_url =
        reason(vet({.uri = server.url("/" + std::string(row.name)), .patience = test::kMuchPatience}));
    ASSERT_TRUE(says(of_url, "megapixels")) << of_url;
  }
}

TEST(NoMedia, ADrawingThatIsTooLargeIsRefused) {
  if (!GRef<GstElementFactory>::adopt(gst_element_factory_find("rsvgdec"))) GTEST_SKIP() << "no rsvgdec";
  const std::string drawing =
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="8000" height="4800"><rect width="9" height="9"/></svg>)";
  const std::string told = reason_for(drawing, false, "drawing.svg");
  EXPECT_TRUE(says(told, "Its frames of 8000×4800 pixels are larger than 37 megapixels.")) << told;
}

TEST(BrokenClip, WithAnyBytesChangedEndsInTime) {
  const std::string whole = clip_bytes({.frames = 12, .size = "width=160,height=96"});
  std::mt19937 random(7);
  const auto below = [&](size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  };
  const size_t moov = whole.find("moov");
  for (int i = 0; i < 60; ++i) {
    std::string broken = whole;
    // Half of them in the index.
    for (size_t count = below(8) + 1; count-- > 0;)
      broken[i % 2 ? below(broken.size()) : moov + below(broken.size() - moov)] =
          static_cast<char>(below(256));
    const gint64 begin = g_get_monotonic_time();
    // decodebin sometimes loses the error of a file without streams; then the patience ends it.
    EXPECT_FALSE(reason_for(broken, i % 3 != 0, "clip.mp4", std::chrono::seconds(3)).empty());
    EXPECT_LT(std::chrono::microseconds(g_get_monotonic_time() - begin),
              test::time_limit(std::chrono::seconds(25)))
        << i;
  }
}

}  // namespace
}  // namespace genclip
