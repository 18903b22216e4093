// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clips match the request, according to GstDiscoverer and a decoder.
#include <glib/gstdio.h>
#include <gst/pbutils/pbutils.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "examples/simulator/clip_kitchen.h"
#include "examples/simulator/mp4_padding.h"
#include "tests/simulator/web.h"

namespace genclip::sim::test {
namespace {

struct Found {
  std::string error;
  double seconds = 0;
  unsigned width = 0, height = 0, audio_streams = 0;
  bool image = false;
};

// A file for the life of a test.
class ClipFile {
 public:
  explicit ClipFile(const std::string &bytes) {
    gchar *name = nullptr;
    const int fd = g_file_open_tmp("genclip-render-XXXXXX", &name, nullptr);
    path_.reset(name);
    g_close(fd, nullptr);
    std::ofstream(path_.get(), std::ios::binary) << bytes;
  }
  ~ClipFile() { std::remove(path_.get()); }
  ClipFile(const ClipFile &) = delete;
  ClipFile &operator=(const ClipFile &) = delete;

  const char *path() const { return path_.get(); }

 private:
  GStringPtr path_;
};

Found discovered(const ClipFile &file) {
  Found found;
  GErrorPtr error;
  const auto discoverer = GRef<GstDiscoverer>::adopt(gst_discoverer_new(20 * GST_SECOND, take(error)));
  GStringPtr uri(g_filename_to_uri(file.path(), nullptr, nullptr));
  const auto info =
      GRef<GstDiscovererInfo>::adopt(gst_discoverer_discover_uri(discoverer.get(), uri.get(), take(error)));
  if (error) found.error = error->message;
  if (!info) return found;
  found.seconds = static_cast<double>(gst_discoverer_info_get_duration(info.get())) / GST_SECOND;
  GList *videos = gst_discoverer_info_get_video_streams(info.get());
  if (videos) {
    auto *video = static_cast<GstDiscovererVideoInfo *>(videos->data);
    found.width = gst_discoverer_video_info_get_width(video);
    found.height = gst_discoverer_video_info_get_height(video);
    found.image = gst_discoverer_video_info_is_image(video);
  }
  GList *audios = gst_discoverer_info_get_audio_streams(info.get());
  found.audio_streams = g_list_length(audios);
  gst_discoverer_stream_info_list_free(videos);
  gst_discoverer_stream_info_list_free(audios);
  return found;
}

// Runs to the end and stays paused there, so that the last state of its elements can be queried.
bool runs_to_its_end(GstElement *pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline));
  const auto end = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), 20 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  return end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS;
}

GRef<GstElement> launched(const std::string &text) {
  GErrorPtr error;
  return GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(text.c_str(), take(error)))));
}

// The brightness of each pixel, row by row; empty if this is not a picture of this size.
std::string brightness_of(const ClipFile &png, size_t points) {
  const auto pipeline = launched(std::string("filesrc location=") + png.path() +
                                 " ! pngdec ! videoconvert ! video/x-raw,format=GRAY8 ! fakesink name=sink");
  const bool fine = runs_to_its_end(pipeline.get());
  const auto sink = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  GstSample *last = nullptr;
  g_object_get(sink.get(), "last-sample", &last, nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (!last) return {};
  std::string bytes(points, '\0');
  GstBuffer *frame = gst_sample_get_buffer(last);
  if (!fine || gst_buffer_extract(frame, 0, bytes.data(), points) != gst_buffer_get_size(frame))
    bytes.clear();
  gst_sample_unref(last);
  return bytes;
}

int decoded_frames(const ClipFile &file) {
  const auto pipeline =
      launched(std::string("filesrc location=") + file.path() +
               " ! qtdemux ! h264parse ! avdec_h264 ! fakesink sync=false signal-handoffs=true name=sink");
  const auto sink = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  int frames = 0;
  g_signal_connect(
      sink.get(), "handoff",
      G_CALLBACK(+[](GstElement *, GstBuffer *, GstPad *, gpointer count) { ++*static_cast<int *>(count); }),
      &frames);
  const bool fine = runs_to_its_end(pipeline.get());
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return fine ? frames : -1;
}

std::string clip_of(Simulator &simulator, const std::string &request,
                    const char *path = "/v2/model-center/tasks") {
  const Json task = finished_task(simulator, *Json::parse(request), path);
  EXPECT_EQ(text(task, "status"), "completed") << task.to_text();
  return ask("GET", text(task, "result_url").empty() ? text(task, "video_url") : text(task, "result_url"))
      .body;
}

std::string boxes_of(const std::string &clip) {
  std::string all;
  for (const Mp4Box &box : mp4_boxes(clip)) all += std::string(box.type) + " ";
  return all;
}

TEST(Rendering, HasTheDurationSizeAndSoundThatWereAskedFor) {
  struct Case {
    const char *request, *path;
    double seconds;
    unsigned width, height, audio_streams;
  };
  const char *v2 = "/v2/model-center/tasks", *v1 = "/v1/sky/videos";
  constexpr unsigned kRate = 5;
  Simulator simulator({.frames_per_second = kRate});
  ASSERT_TRUE(simulator.start());
  for (
      const auto &[request, path, seconds, width, height, audio] : {
          Case{R"({"model":"sd_2.0_special","prompt":"a <kite> & more","duration":4})", v2, 4, 1280, 720, 1},
          Case{R"({"model":"sd_2.0_fast_discount","prompt":"a","duration":4,"aspect_ratio":"9:16",
                    "resolution":"480p","generate_audio":false})",
               v2, 4, 480, 854, 0},
          Case{R"({"model":"dance-2.5","prompt":"a","duration":6,"aspect_ratio":"1:1"})", v2, 6, 480, 480, 0},
          Case{R"({"model":"sd_2.0_fast_discount","prompt":"a","duration":4,"aspect_ratio":"adaptive",
                    "resolution":"480p"})",
               v2, 4, 854, 480, 1},
          Case{
              R"({"model":"vidq3-turbo","prompt":"a","seconds":1,"aspect_ratio":"21:9","resolution":"540p"})",
              v1, 1, 1260, 540, 0},
      }) {
    const ClipFile file(clip_of(simulator, request, path));
    const Found found = discovered(file);
    EXPECT_EQ(found.error, "") << request;
    EXPECT_NEAR(found.seconds, seconds, 0.1) << request;
    EXPECT_EQ(found.width, width) << request;
    EXPECT_EQ(found.height, height) << request;
    EXPECT_EQ(found.audio_streams, audio) << request;
    EXPECT_EQ(decoded_frames(file), kRate * seconds) << request;
  }
}

TEST(Rendering, MakesAPictureForImageModels) {
  Simulator simulator;
  ASSERT_TRUE(simulator.start());
  const std::string picture =
      clip_of(simulator, R"({"model":"dream-5.0","prompt":"a lighthouse","size":"640x480"})");
  EXPECT_TRUE(picture.starts_with("\x89PNG"));
  const Found found = discovered(ClipFile(picture));
  EXPECT_TRUE(found.image);
  EXPECT_EQ(found.width, 640u);
  EXPECT_EQ(found.height, 480u);
}

// A font that lacks a character shows a box as high as it is wide, with numbers in it.
TEST(Rendering, WritesChinese) {
  constexpr size_t kWidth = 640, kHeight = 480;
  const auto dark = [](unsigned char brightness) { return brightness < 64; };
  const auto white = [](unsigned char brightness) { return brightness > 230; };
  Simulator simulator;
  ASSERT_TRUE(simulator.start());
  // Six patterns lie behind the prompt, the seed chooses: one whose whole upper part is dark leaves the
  // letters alone.
  for (int seed = 0; seed < 60; ++seed) {
    const std::string picture = brightness_of(
        ClipFile(
            clip_of(simulator, R"({"model":"dream-5.0","prompt":"一一一一一一","size":"640x480","seed":)" +
                                   std::to_string(seed) + "}")),
        kWidth * kHeight);
    ASSERT_EQ(picture.size(), kWidth * kHeight);
    if (!std::all_of(picture.begin(), picture.begin() + kWidth * kHeight / 4, dark)) continue;
    // The pattern has something white in its middle.
    std::set<size_t> rows, columns;
    for (size_t at = 0; at < picture.size(); ++at) {
      if (at % kWidth > kWidth * 2 / 5 || !white(static_cast<unsigned char>(picture[at]))) continue;
      rows.insert(at / kWidth);
      columns.insert(at % kWidth);
    }
    EXPECT_GT(columns.size(), kWidth / 20);
    EXPECT_LT(rows.size() * 5, columns.size())
        << "a box where a stroke should be: is a font with Chinese installed?";
    return;
  }
  FAIL() << "no seed gives a dark pattern";
}

TEST(Rendering, PutsTheIndexWhereAndPadsAsFarAsTold) {
  const std::string request = R"({"model":"dance-2.5","prompt":"a"})";
  for (const bool faststart : {false, true}) {
    for (const uint64_t padding : {0, 5'000'000}) {
      Simulator simulator({.faststart = faststart, .padding = padding, .frames_per_second = 5});
      ASSERT_TRUE(simulator.start());
      const std::string clip = clip_of(simulator, request);
      const std::string boxes = boxes_of(clip);
      EXPECT_EQ(boxes.find("moov") < boxes.find("mdat"), faststart) << boxes;
      EXPECT_EQ(boxes.ends_with("moov "), !faststart) << boxes;
      EXPECT_GE(clip.size(), padding);
      EXPECT_LT(clip.size(), padding + 1'000'000);
      EXPECT_EQ(decoded_frames(ClipFile(clip)), 4 * 5) << boxes;
    }
  }
}

TEST(Rendering, HappensOnceForEqualRequests) {
  Simulator simulator({.frames_per_second = 5});
  ASSERT_TRUE(simulator.start());
  const std::string first = clip_of(simulator, R"({"model":"dance-2.5","prompt":"a"})");
  EXPECT_TRUE(first == clip_of(simulator, R"({"model":"dance-2.5","prompt":"a"})"));
  EXPECT_FALSE(first == clip_of(simulator, R"({"model":"dance-2.5","prompt":"b"})"));
}

// A simulator that runs for days drops clips, and still knows what their tasks have cost.
TEST(Kitchen, KnowsThatAClipWasRenderedWhichItHasDropped) {
  ClipKitchen kitchen({}, std::nullopt, 1);
  ClipOrder first;
  first.image = true;
  first.width = first.height = 64;
  first.prompt = "first";
  ClipOrder second = first;
  second.prompt = "second";
  const auto rendered = [&](const ClipOrder &order) {
    for (int tries = 0; tries < 2000 && !kitchen.outcome(order); ++tries) g_usleep(10000);
    const auto outcome = kitchen.outcome(order);
    return outcome && *outcome;
  };
  ASSERT_TRUE(rendered(first));
  EXPECT_TRUE(kitchen.look(first));
  ASSERT_TRUE(rendered(second));
  EXPECT_TRUE(rendered(first));
  EXPECT_TRUE(kitchen.look(second)) << "the last one stays, and asking for an outcome renders nothing again";
  EXPECT_FALSE(kitchen.look(first)) << "it was dropped, and is rendered again from now on";
  EXPECT_TRUE(kitchen.outcome(first));
}

}  // namespace
}  // namespace genclip::sim::test
