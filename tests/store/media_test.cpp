// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is media, and whether it is all there.
#include <gmock/gmock.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <fstream>

#include "plugin/store/media_container.h"
#include "plugin/store/media_end.h"
#include "tests/support/no_typefinders.h"
#include "tests/support/sample_clip.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

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

class MediaEndTest : public testing::Test {
 protected:
  MediaEnd end_of(const std::string &bytes, const std::string &media_type = "video/mp4") {
    std::ofstream(folder_.file("clip"), std::ios::binary) << bytes;
    const auto file = taken(FileSystem::posix().open(folder_.file("clip"), FileSystem::Mode::read));
    const auto end = media_end_of(*file, {media_type, ""});
    EXPECT_TRUE(end);
    return end ? *end : MediaEnd::unknown;
  }
  // A real file that GStreamer makes.
  std::string made(const std::string &pipeline) {
    const std::string path = folder_.file("made");
    GstElement *element = gst_parse_launch((pipeline + " ! filesink location=" + path).c_str(), nullptr);
    EXPECT_TRUE(element);
    gst_element_set_state(element, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(element);
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus, 20 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    EXPECT_TRUE(message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
    if (message) gst_message_unref(message);
    gst_object_unref(bus);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_object_unref(element);
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
};

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

TEST(MediaContainer, CallsStillsInBoxesWhatTheyAre) {
  const struct {
    std::string major, compatible, media_type, extension;
  } cases[] = {
      {"avif", "mif1miaf", "image/avif", "avif"}, {"avis", "msf1", "image/avif", "avif"},
      {"heic", "mif1", "image/heic", "heic"},     {"heix", "mif1heix", "image/heic", "heic"},
      {"mif1", "mif1heic", "image/heic", "heic"}, {"mif1", "mif1avifmiaf", "image/avif", "avif"},
      {"mif1", "mif1", "image/heif", "heif"},     {"msf1", "iso8", "image/heif", "heif"},
      {"isom", "avif", "video/mp4", "mp4"},       {"mp42", "isom", "video/mp4", "mp4"},
  };
  for (const auto &[major, compatible, media_type, extension] : cases) {
    SCOPED_TRACE(major + " " + compatible);
    const std::string bytes = brands(major, compatible) + box_of("meta", std::string(200, '\0'));
    EXPECT_EQ(media_type_of(bytes), media_type);
    EXPECT_EQ(extension_of(bytes), extension);
    EXPECT_EQ(extension_of(bytes, "mp4"), extension) << "an older genclip called it clip.mp4";
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

TEST_F(MediaEndTest, AnMp4IsWholeWhereItsBoxesEnd) {
  const std::string whole = sample_mp4(1000);
  EXPECT_EQ(end_of(whole), MediaEnd::whole);
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_EQ(end_of(whole.substr(0, size)), MediaEnd::cut) << size << " bytes";
  for (const std::string more : {"x", "1234567", "not a box at all"})
    EXPECT_EQ(end_of(whole + more), MediaEnd::unknown) << "all of it is there, and bytes that are no box";
  EXPECT_EQ(end_of(whole + box_of("free", "abc")), MediaEnd::whole);
  EXPECT_EQ(end_of(whole + box_of("free", "abc").substr(0, 9)), MediaEnd::unknown) << "it plays without";
  EXPECT_EQ(end_of(whole + box_of("mdat", "abc").substr(0, 9)), MediaEnd::cut) << "more frames";
}

TEST_F(MediaEndTest, AnMp4InFragmentsDoesNotTellItsEnd) {
  const std::string one = brands("iso5", "iso5") + box_of("moov", std::string(16, '\0')) +
                          box_of("moof", "abcd") + box_of("mdat", "frames");
  EXPECT_EQ(end_of(one), MediaEnd::unknown);
  EXPECT_EQ(end_of(one.substr(0, one.size() - 1)), MediaEnd::cut);
  EXPECT_EQ(end_of(one + box_of("moof", "abcd").substr(0, 10)), MediaEnd::cut);
}

TEST_F(MediaEndTest, AStillInBoxesIsWholeWhereTheyEnd) {
  const std::string still =
      brands("avif", "mif1") + box_of("meta", std::string(50, '\0')) + box_of("mdat", "bits");
  for (const char *media_type : {"image/avif", "image/heic", "image/heif"}) {
    EXPECT_EQ(end_of(still, media_type), MediaEnd::whole);
    EXPECT_EQ(end_of(still + "x", media_type), MediaEnd::unknown);
    EXPECT_EQ(end_of(still.substr(0, still.size() - 1), media_type), MediaEnd::cut);
    EXPECT_EQ(end_of(still.substr(0, 40), media_type), MediaEnd::cut);
  }
}

TEST_F(MediaEndTest, AnMp4WithoutItsIndexIsCut) {
  EXPECT_EQ(end_of(std::string("\0\0\0\x10"
                               "ftypisom\0\0\0\0",
                               16) +
                   std::string("\0\0\0\x0cmdatabcd", 12)),
            MediaEnd::cut);
  EXPECT_EQ(end_of(std::string("\0\0\0\x10"
                               "ftypisom\0\0\0\0",
                               16) +
                   std::string("\0\0\0\0mdatabcd", 12)),
            MediaEnd::cut)
      << "its frames go on up to the end";
}

TEST_F(MediaEndTest, AnMp4MayHaveLongBoxesAndOneUpToTheEnd) {
  const std::string head = sample_mp4(1000).substr(0, 48);
  const std::string big = head + std::string(
                                     "\0\0\0\1mdat\0\0\0\0\0\0\0\x14"
                                     "abcd",
                                     20);
  EXPECT_EQ(end_of(big), MediaEnd::whole);
  EXPECT_EQ(end_of(big.substr(0, big.size() - 1)), MediaEnd::cut);
  EXPECT_EQ(end_of(head + std::string("\0\0\0\0mdat", 8) + "anything"), MediaEnd::unknown) << "it may go on";
  EXPECT_EQ(end_of(head + std::string("\0\0\0\1mdat\xff\xff\xff\xff\xff\xff\xff\xff", 16)), MediaEnd::cut);
  EXPECT_EQ(end_of(head + std::string("\0\0\0\3mdat", 8)), MediaEnd::cut);
  EXPECT_EQ(end_of(head + std::string("\0\0\0\1mdat\0\0\0\0\0\0\0\x08", 16)), MediaEnd::cut)
      << "no box is smaller than its own header";
}

TEST_F(MediaEndTest, RealFilesAreWholeAndCutOnesAreCut) {
  const std::string frames = "videotestsrc num-buffers=3 ! video/x-raw,width=64,height=48 ! ";
  const std::string one = "videotestsrc num-buffers=1 ! video/x-raw,width=64,height=48 ! ";
  const std::pair<std::string, std::string> kinds[] = {
      {frames + "x264enc ! mp4mux", "video/mp4"},
      {one + "pngenc", "image/png"},
      {one + "jpegenc", "image/jpeg"},
      {frames + "jpegenc ! avimux", "video/x-msvideo"},
  };
  for (const auto &[pipeline, media_type] : kinds) {
    SCOPED_TRACE(media_type);
    const std::string bytes = made(pipeline);
    ASSERT_GT(bytes.size(), 100u);
    ASSERT_TRUE(probe(bytes));
    EXPECT_EQ(probe(bytes)->media_type, media_type);
    EXPECT_EQ(end_of(bytes, media_type), MediaEnd::whole);
    EXPECT_EQ(end_of(bytes.substr(0, bytes.size() - 1), media_type), MediaEnd::cut);
    EXPECT_EQ(end_of(bytes.substr(0, bytes.size() / 2), media_type), MediaEnd::cut);
    EXPECT_NE(end_of(bytes + "\n", media_type), MediaEnd::cut) << "a byte behind its end";
    EXPECT_NE(end_of(bytes + std::string(5000, '\0'), media_type), MediaEnd::cut) << "padding behind its end";
  }
}

// Two images of one pixel, an extension, and tables of colours.
TEST_F(MediaEndTest, AGifIsWholeWhereItsBlocksEnd) {
  const std::string image("\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0", 15);
  const std::string with_table(
      "\x2c\0\0\0\0\1\0\1\0\x80"
      ";;;;;;"
      "\2\2\x44\1\0",
      21);
  const std::string extension("!\xf9\4;;;;\0", 8);
  const std::string gif = std::string(
                              "GIF89a\1\0\1\0\x80\0\0"
                              ";;;;;;",
                              19) +
                          extension + image + with_table + ";";
  EXPECT_EQ(end_of(gif, "image/gif"), MediaEnd::whole);
  EXPECT_EQ(end_of(gif + "x", "image/gif"), MediaEnd::unknown);
  for (size_t size = 0; size < gif.size(); ++size)
    ASSERT_EQ(end_of(gif.substr(0, size), "image/gif"), MediaEnd::cut) << size << " bytes";
}

TEST_F(MediaEndTest, AJpegIsWholeBehindItsLastScan) {
  // A thumbnail with an end of its own, two scans with restarts and FF in their data.
  const std::string head(
      "\xff\xd8\xff\xe1\0\x08\xff\xd8\xff\xd9"
      "ab"
      "\xff\xff\xdb\0\4qq",
      19);
  const std::string scan(
      "\xff\xda\0\4ss"
      "data\xff\0more\xff\xd3more",
      21);
  const std::string jpeg = head + scan + scan + "\xff\xd9";
  EXPECT_EQ(end_of(jpeg, "image/jpeg"), MediaEnd::whole);
  EXPECT_EQ(end_of(jpeg + "x", "image/jpeg"), MediaEnd::unknown);
  for (size_t size = 0; size < jpeg.size(); ++size)
    ASSERT_EQ(end_of(jpeg.substr(0, size), "image/jpeg"), MediaEnd::cut) << size << " bytes";
}

TEST_F(MediaEndTest, OtherKindsDoNotTell) { EXPECT_EQ(end_of("anything", "video/webm"), MediaEnd::unknown); }

}  // namespace
}  // namespace genclip::test
