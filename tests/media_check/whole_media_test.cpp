// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real files of many writers, and what is left of them where a copy broke off. tests/base/media_end_test.cpp
// has each format byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "plugin/task/media_check.h"
#include "tests/media_check/media_files.h"
#include "tests/media_check/media_request.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

std::string problems(const CheckedRequest &request, const std::string &bytes) {
  const LocalMedia locals = {{0, std::make_shared<const LocalFile>(taken(LocalFile::with_content(bytes)))}};
  const auto checked = check_media(nullptr, Clock::system(), request, locals, {}, nullptr);
  return checked ? "" : checked.error().text;
}

// In a field that may hold any medium and has no limit.
std::string problems(const std::string &bytes) {
  static const CheckedRequest request = media_request("veo", {{"materials", {"./any"}}});
  return problems(request, bytes);
}

struct Written {
  std::string by;
  std::string bytes;
  bool tells_its_end = true;
};

std::vector<Written> written() {
  std::vector<Written> files;
  for (const char *encoder : {"pngenc", "jpegenc", "webpenc", "avenc_bmp", "avenc_tiff"})
    files.push_back({encoder, image_file(encoder, 160, 120)});
  files.push_back({"animated WebP", webp_animation(160, 120)});
  for (const char *muxer :
       {"mp4mux", "mp4mux faststart=true", "mp4mux fragment-duration=500", "qtmux", "matroskamux", "avimux"})
    files.push_back({muxer, video_file(muxer, 160, 120, 48, 24)});
  for (const char *encoder : {"wavenc", "vorbisenc ! oggmux", "avenc_aac ! mp4mux", "vorbisenc ! webmmux"})
    files.push_back({encoder, audio_file(encoder, 2)});
  for (const char *encoder : {"lamemp3enc", "flacenc"})
    files.push_back({encoder, audio_file(encoder, 2), false});
  return files;
}

TEST(WholeMedia, OfEveryWriterPassAndCutOnesAreRefusedBeforeTheServiceGetsThem) {
  for (const auto &[by, bytes, tells_its_end] : written()) {
    SCOPED_TRACE(by);
    ASSERT_GT(bytes.size(), 1000u);
    EXPECT_EQ(problems(bytes), "");
    EXPECT_EQ(problems(bytes + "\n"), "") << "a byte behind its end";
    EXPECT_EQ(problems(bytes + std::string(5000, '\0')), "") << "padding behind its end";
    EXPECT_EQ(problems(bytes + bytes), "") << "another one behind its end";
    for (const size_t percent : {40u, 60u, 90u}) {
      const size_t size = bytes.size() * percent / 100;
      if (tells_its_end) {
        EXPECT_THAT(problems(bytes.substr(0, size)), HasSubstr("materials[0] is cut off: ")) << size;
      } else {
        EXPECT_EQ(problems(bytes.substr(0, size)), "") << "only a decoder sees that";
      }
    }
  }
}

TEST(WholeMedia, AreToldFromCutOnesByWhatTheySayOfTheirLength) {
  const std::string wave = audio_file("wavenc", 2);
  EXPECT_EQ(problems(wave.substr(0, 5000)),
            "materials[0] is cut off: it says that it has at least 176444 bytes, and has 5000.");
  const std::string jpeg = image_file("jpegenc", 160, 120);
  EXPECT_EQ(problems(jpeg.substr(0, jpeg.size() / 2)), "materials[0] is cut off: its end is missing.");
}

TEST(WholeMedia, AreNeededWhereTheModelHasLimitsToo) {
  const std::string clip = video_file("mp4mux faststart=true", 320, 180, 72, 24);
  const auto request = media_request("sd_2.0_special", {{"reference_videos", {"./kite.mp4"}}});
  EXPECT_EQ(problems(request, clip), "");
  EXPECT_THAT(problems(request, clip.substr(0, clip.size() * 9 / 10)),
              HasSubstr("reference_videos is cut off: it says that it has at least "));
  EXPECT_THAT(problems(request, image_file("jpegenc", 400, 400).substr(0, 3000)),
              HasSubstr("which is not video data"))
      << "what is wrong with its kind is said first";
}

}  // namespace
}  // namespace genclip::test
