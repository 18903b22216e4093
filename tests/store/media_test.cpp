// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is media, and whether it is all there.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <fstream>

#include "plugin/store/media_container.h"
#include "plugin/store/media_end.h"
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

TEST_F(MediaEndTest, AnMp4IsWholeWhereItsBoxesEnd) {
  const std::string whole = sample_mp4(1000);
  EXPECT_EQ(end_of(whole), MediaEnd::whole);
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_EQ(end_of(whole.substr(0, size)), MediaEnd::cut) << size << " bytes";
  EXPECT_EQ(end_of(whole + "x"), MediaEnd::cut) << "bytes that are no box";
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
  EXPECT_EQ(end_of(head + std::string("\0\0\0\0mdat", 8) + "anything"), MediaEnd::whole);
  EXPECT_EQ(end_of(head + std::string("\0\0\0\1mdat\xff\xff\xff\xff\xff\xff\xff\xff", 16)), MediaEnd::cut);
  EXPECT_EQ(end_of(head + std::string("\0\0\0\3mdat", 8)), MediaEnd::cut);
  EXPECT_EQ(end_of(big + std::string("\0\0\0\1free\0\0\0\0\0\0\0\x08", 16)), MediaEnd::cut)
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
  }
}

TEST_F(MediaEndTest, OtherKindsDoNotTell) { EXPECT_EQ(end_of("anything", "video/webm"), MediaEnd::unknown); }

}  // namespace
}  // namespace genclip::test
