// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The format of a file according to its header, name and first bytes.
#include "plugin/task/media_format.h"

#include <gtest/gtest.h>

#include "tests/media_check/media_files.h"

namespace genclip::test {
namespace {

TEST(MediaFormat, ReadsContentTypesAsServersWriteThem) {
  EXPECT_EQ(telling_media_type("image/JPEG"), "image/jpeg");
  EXPECT_EQ(telling_media_type(" audio/mpeg ; charset=binary"), "audio/mpeg");
  EXPECT_EQ(telling_media_type("application/octet-stream"), "");
  for (const char *untelling :
       {"binary/octet-stream", "Application/Octet-Stream; charset=binary", "application/x-download",
        "APPLICATION/FORCE-DOWNLOAD", "application/unknown", "text/plain; charset=utf-8",
        "application/download", "octet-stream", "*/*", "image/*", " ", ";"})
    EXPECT_EQ(telling_media_type(untelling), "") << untelling;
  EXPECT_EQ(telling_media_type(""), "");
  EXPECT_EQ(telling_media_type("text/html; charset=utf-8"), "text/html");
}

TEST(MediaFormat, TakesTheTypeOfAPathAndNeitherOfItsQueryNorOfAFolder) {
  EXPECT_EQ(media_type_of_path("https://h/a/cat.JPG?sig=x.png"), "image/jpeg");
  EXPECT_EQ(media_type_of_path("https://h/a.png/cat"), "");
  EXPECT_EQ(media_type_of_path("https://h/cat"), "");
  EXPECT_EQ(media_type_of_path("https://h.mp4"), "video/mp4");
  EXPECT_EQ(media_type_of_path("https://h/clip.xyz"), "");
  EXPECT_EQ(media_type_of_path(""), "");
}

TEST(MediaFormat, KnowsRealFilesByTheirFirstBytes) {
  struct Known {
    const char *format;
    std::string bytes;
  };
  const Known known[] = {
      {"png", image_file("pngenc", 64, 64)},
      {"jpeg", image_file("jpegenc", 64, 64)},
      {"bmp", image_file("avenc_bmp", 64, 64)},
      {"webp", image_file("webpenc", 64, 64)},
      {"mp4", video_file("mp4mux", 64, 64, 5, 5)},
      {"mov", video_file("qtmux", 64, 64, 5, 5)},
      {"wav", audio_file("wavenc", 1)},
      {"mp3", audio_file("lamemp3enc", 1)},
      {"ogg", audio_file("vorbisenc ! oggmux", 1)},
      {"mp3", audio_file("lamemp3enc ! id3v2mux", 1)},
      {"aac", audio_file("avenc_aac ! aacparse ! audio/mpeg,stream-format=adts", 1)},
      {"webm", audio_file("vorbisenc ! webmmux", 1)},
      {"flac", audio_file("flacenc", 1)},
  };
  for (const Known &that : known)
    EXPECT_EQ(format_name(sniff_media_type(that.bytes)), that.format) << sniff_media_type(that.bytes);
}

TEST(MediaFormat, KnowsIsoFilesByTheirBrand) {
  const auto with_brand = [](const std::string &brand) {
    return sniff_media_type(std::string("\0\0\0\x18", 4) + "ftyp" + brand + std::string(12, '\0'));
  };
  EXPECT_EQ(with_brand("heic"), "image/heic");
  EXPECT_EQ(with_brand("mif1"), "image/heif");
  EXPECT_EQ(with_brand("avif"), "image/avif");
  EXPECT_EQ(with_brand("qt  "), "video/quicktime");
  EXPECT_EQ(with_brand("M4A "), "audio/mp4");
  EXPECT_EQ(with_brand("isom"), "video/mp4");
  EXPECT_EQ(with_brand("????"), "video/mp4");
}

TEST(MediaFormat, CallsNoPageAndNoPlaylistAMedium) {
  for (const std::string text : {"<!DOCTYPE html><html><body>no</body></html>",
                                 "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nhttp://127.0.0.1/secret\n",
                                 "{\"error\": \"expired\"}"}) {
    const std::string type = sniff_media_type(text);
    for (const MediaKind kind : {MediaKind::image, MediaKind::video, MediaKind::audio})
      EXPECT_FALSE(may_be(type, kind)) << text << " is " << type;
  }
  EXPECT_EQ(sniff_media_type(""), "");
}

}  // namespace
}  // namespace genclip::test
