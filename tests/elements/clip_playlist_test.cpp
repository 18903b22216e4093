// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a playlist names costs nothing: its author is not the one who pays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

constexpr char kUri[] = "genclip://dance-2.5?prompt=a%20heron";

class ClipOfPlaylist : public testing::Test {
 protected:
  void SetUp() override {
    const auto demuxer = GRef<GstElementFactory>::adopt(gst_element_factory_find("hlsdemux"));
    if (!demuxer) GTEST_SKIP() << "gstreamer1.0-plugins-bad is not installed.";
  }
  ClipOfPlaylist() {
    g_setenv("GENCLIP_BASE_URL", service_.url().c_str(), TRUE);
    g_setenv("GENCLIP_API_KEY", kKey, TRUE);
    g_setenv("GENCLIP_STORE", folder_.path().c_str(), TRUE);
  }
  ~ClipOfPlaylist() override {
    for (const char *name : {"GENCLIP_BASE_URL", "GENCLIP_API_KEY", "GENCLIP_STORE"}) g_unsetenv(name);
  }

  std::string write(const std::string &name, const std::string &text) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  std::string error_of_playlist(const std::string &text) {
    return error_of("filesrc location=\"" + write("film.m3u8", text) +
                    "\" ! hlsdemux ! fakesink async=false sync=false");
  }
  // The error that the application gets of that pipeline.
  static std::string error_of(const std::string &line) {
    const auto pipeline = GRef<GstElement>::adopt(gst_parse_launch(line.c_str(), nullptr));
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
    const auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
        bus.get(), static_cast<GstClockTime>(std::chrono::nanoseconds(kPatience).count()),
        static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
    gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    if (!message || GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_ERROR) return "no error";
    const BusError error = test::error_of(message);
    return error.text + "\n" + error.debug;
  }

  TemporaryFolder folder_;
  ScriptedService service_{
      {.submit = {answer(200, R"({"id":"t-7","status":"completed","video_url":"URL/clip.mp4"})")}}};
};

TEST_F(ClipOfPlaylist, HlsSegmentsAreRefused) {
  const std::string playlist =
      std::string("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n") + kUri +
      "\n#EXT-X-ENDLIST\n";
  EXPECT_THAT(error_of_playlist(playlist), HasSubstr("A playlist names this genclip URI"));
  EXPECT_EQ(service_.requests().size(), 0u);
}

TEST_F(ClipOfPlaylist, HlsKeysAreRefused) {
  const std::string segment = write("one.ts", std::string(188 * 10, '\x47'));
  const std::string playlist =
      std::string("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:5\n#EXT-X-KEY:METHOD=AES-128,URI=\"") +
      kUri + "\"\n#EXTINF:5,\nfile://" + segment + "\n#EXT-X-ENDLIST\n";
  EXPECT_NE(error_of_playlist(playlist), "no error");
  EXPECT_EQ(service_.requests().size(), 0u);
}

TEST_F(ClipOfPlaylist, FurtherHlsPlaylistsAreRefused) {
  const std::string playlist = std::string("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\n") + kUri + "\n";
  EXPECT_NE(error_of_playlist(playlist), "no error");
  EXPECT_EQ(service_.requests().size(), 0u);
}

// As a player opens it: in bins, but in no demuxer's.
TEST_F(ClipOfPlaylist, TheUriItselfIsGenerated) {
  const std::string line = std::string("urisourcebin uri=\"") + kUri + "\" ! fakesink sync=false";
  EXPECT_EQ(error_of(line), "no error");
  EXPECT_EQ(service_.submits(), 1);
}

}  // namespace
}  // namespace genclip::test
