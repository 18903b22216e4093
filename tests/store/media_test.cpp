// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is media.
#include <gmock/gmock.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "plugin/store/media_container.h"
#include "tests/support/no_typefinders.h"
#include "tests/support/sample_clip.h"

namespace genclip::test {
namespace {

std::optional<MediaContainer> probe(const std::string &bytes, const std::string &expected = {}) {
  return probe_container(std::as_bytes(std::span(bytes)), expected);
}

std::string extension_of(const std::string &bytes, const std::string &expected = {}) {
  const auto container = probe(bytes, expected);
  return container ? container->extension : "none";
}

std::string media_type_of(const std::string &bytes) {
  const auto container = probe(bytes);
  return container ? container->media_type : "none";
}

// A box of an MP4 or of a still.
std::string box_of(const std::string &type, const std::string &content) {
  const auto size = static_cast<uint32_t>(8 + content.size());
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 0xff);
  return bytes + type + content;
}

std::string brands(const std::string &major, const std::string &compatible) {
  return box_of("ftyp", major + std::string(4, '\0') + compatible);
}

TEST(MediaContainer, KnowsClipsByTheirFirstBytes) {
  EXPECT_EQ(extension_of(sample_mp4(20'000)), "mp4");
  EXPECT_EQ(extension_of("\x89PNG\r\n\x1a\n" + std::string("\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0", 21)),
            "png");
  EXPECT_EQ(extension_of(std::string("\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", 20)), "jpg");
}

TEST(MediaContainer, GoesByTheBytesWhateverIsExpected) {
  const std::string png = "\x89PNG\r\n\x1a\n" + std::string("\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0", 21);
  for (const char *expected : {"mp4", "png", "bin", "nonsense"}) {
    EXPECT_EQ(extension_of(sample_mp4(20'000), expected), "mp4") << expected;
    EXPECT_EQ(extension_of(png, expected), "png") << expected;
    EXPECT_FALSE(probe("<html>", expected)) << expected;
  }
}

TEST(MediaContainer, TakesNoPageForAClip) {
  for (const std::string &page :
       {std::string("<!DOCTYPE html><html><body>404</body></html>"), std::string("<html>"),
        std::string("{\"error\":\"x\"}"),
        std::string("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>"),
        std::string("Not found\n"), std::string(), std::string(1000, '\0'), std::string(20'000, 'x')})
    EXPECT_FALSE(probe(page)) << page.substr(0, 40);
}

TEST(MediaContainer, TakesNoDrawingAndNoSoundForAClip) {
  for (const std::string svg :
       {"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<svg/>", "<svg width=\"9\"></svg>",
        "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"file:///x\"/></svg>",
        "<?xml version=\"1.0\"?>\n<!-- a -->\n<svg:svg xmlns:svg=\"http://www.w3.org/2000/svg\"/>",
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x\"><svg/>"})
    for (const char *expected : {"", "svg", "png", "mp4"}) EXPECT_FALSE(probe(svg, expected)) << svg;
  const std::string wave(
      "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\0\0\0\0", 44);
  EXPECT_FALSE(probe(wave));
  EXPECT_FALSE(probe("fLaC" + std::string("\0\0\0\x22", 4) + std::string(60, '\0')));
}

TEST(MediaContainer, CallsQuickTimeAndStillsInBoxesWhatTheyAre) {
  const struct {
    std::string major, compatible, media_type, extension;
  } cases[] = {
      {"avif", "mif1miaf", "image/avif", "avif"}, {"avis", "msf1", "image/avif", "avif"},
      {"heic", "mif1", "image/heic", "heic"},     {"heix", "mif1heix", "image/heic", "heic"},
      {"mif1", "mif1heic", "image/heic", "heic"}, {"mif1", "mif1avifmiaf", "image/avif", "avif"},
      {"mif1", "mif1", "image/heif", "heif"},     {"msf1", "iso8", "image/heif", "heif"},
      {"isom", "avif", "video/mp4", "mp4"},       {"mp42", "isom", "video/mp4", "mp4"},
      {"qt  ", "qt  ", "video/quicktime", "mov"}, {"mp42", "qt  ", "video/mp4", "mp4"},
  };
  for (const auto &[major, compatible, media_type, extension] : cases) {
    SCOPED_TRACE(major + " " + compatible);
    const std::string bytes = brands(major, compatible) + box_of("meta", std::string(200, '\0'));
    EXPECT_EQ(media_type_of(bytes), media_type);
    EXPECT_EQ(extension_of(bytes), extension);
    EXPECT_EQ(extension_of(bytes, "mp4"), extension) << "an older genclip called it clip.mp4";
    EXPECT_TRUE(is_media_extension(extension));
  }
  EXPECT_FALSE(
      probe("\0\0\0\x18"
            "ftypmif"));
}

TEST(MediaContainer, WithoutTypefindersNothingCanBeKnownAndThatIsSaid) {
  EXPECT_TRUE(check_typefinding());
  {
    const NoTypefinders none;
    const auto knows = check_typefinding();
    ASSERT_FALSE(knows);
    EXPECT_EQ(knows.error().kind, ErrorKind::settings);
    EXPECT_THAT(knows.error().text, testing::HasSubstr("gstreamer1.0-plugins-base"));
  }
  EXPECT_TRUE(check_typefinding());
}

TEST(MediaContainer, ASecondLookAsksNoTypefinderUntilTheRegistryChanges) {
  static int calls = 0;
  const auto register_another = [](const char *name) {
    const auto count = [](GstTypeFind *, gpointer) { ++calls; };
    return gst_type_find_register(nullptr, name, GST_RANK_PRIMARY, count, "mp4", nullptr, nullptr, nullptr);
  };
  for (const char *name : {"test/one", "test/two"}) {
    ASSERT_TRUE(register_another(name));
    const int before = calls;
    EXPECT_TRUE(check_typefinding());
    EXPECT_GT(calls, before);
    const int after = calls;
    EXPECT_TRUE(check_typefinding());
    EXPECT_EQ(calls, after);
  }
}

}  // namespace
}  // namespace genclip::test
