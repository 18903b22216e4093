// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real-world pictures: rotated, many per second, very large.
#include <gmock/gmock.h>
#include <gst/app/app.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <random>

#include "tests/captioner/harness.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using std::chrono::milliseconds;
using testing::AnyOf;
using testing::IsEmpty;
using testing::SizeIs;

// The first buffer that comes out of it.
GRef<GstBuffer> made_by(const std::string &description) {
  const auto pipeline = GRef<GstElement>::adopt(static_cast<GstElement *>(gst_object_ref_sink(
      gst_parse_launch((description + " ! appsink name=out sync=false").c_str(), nullptr))));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto out = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
  const auto sample = GRef<GstSample>::adopt(gst_app_sink_pull_sample(GST_APP_SINK(out.get())));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  EXPECT_TRUE(sample);
  return sample ? GRef<GstBuffer>::share(gst_sample_get_buffer(sample.get())) : GRef<GstBuffer>();
}

std::string jpeg_of(const std::string &pattern) {
  return text_of(
      made_by("videotestsrc num-buffers=1 pattern=" + pattern + " ! video/x-raw,width=64,height=36 ! jpegenc")
          .get());
}

std::string turned(const std::string &tag, const std::string &rest) {
  return "videotestsrc name=src num-buffers=10 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
         "taginject tags=\"image-orientation=" +
         tag + "\" " + rest + " ! gencaption name=cap ! appsink name=out sync=false";
}

TEST(Orientation, OfATagIsHonoured) {
  const std::map<std::string, std::string> kSizes = {
      {"rotate-0", "64x36"},        {"rotate-90", "36x64"},      {"rotate-180", "64x36"},
      {"rotate-270", "36x64"},      {"flip-rotate-0", "64x36"},  {"flip-rotate-90", "36x64"},
      {"flip-rotate-180", "64x36"}, {"flip-rotate-270", "36x64"}};
  for (const auto &[tag, size] : kSizes)
    for (const char *codec : {"", "! jpegenc", "! pngenc"}) {
      GatewayServer gateway;
      CaptionRun run(gateway, turned(tag, codec));
      ASSERT_EQ(run.play(), "") << tag << codec;
      const Cues cues = run.cues();
      ASSERT_FALSE(cues.empty()) << tag << codec;
      EXPECT_EQ(cues[0].text, caption_at(0, size)) << tag << codec;
    }
}

TEST(Orientation, OfOneStreamIsForgottenWithTheNext) {
  GatewayServer gateway;
  Harness harness(gateway, "interval=1000000000", "video/x-raw,format=RGB,width=4,height=8,framerate=1/1");
  const std::string picture(96, '\0');
  const auto tag = [](GstTagScope scope, const char *orientation) {
    GstTagList *tags = gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, orientation, nullptr);
    gst_tag_list_set_scope(tags, scope);
    return gst_event_new_tag(tags);
  };
  gst_harness_push_event(harness.get(), tag(GST_TAG_SCOPE_GLOBAL, "rotate-90"));
  harness.push(picture, 0, GST_SECOND);
  // A stream tag overrides a global tag.
  gst_harness_push_event(harness.get(), tag(GST_TAG_SCOPE_STREAM, "rotate-180"));
  gst_harness_push_event(harness.get(), tag(GST_TAG_SCOPE_GLOBAL, "rotate-90"));
  harness.push(picture, GST_SECOND, GST_SECOND);
  gst_harness_push_event(harness.get(), tag(GST_TAG_SCOPE_STREAM, "rotate-270"));
  harness.push(picture, 2 * GST_SECOND, GST_SECOND);
  const std::string wide = "1 still of 8x4. It is black.";
  const std::string tall = "1 still of 4x8. It is black.";
  EXPECT_EQ(harness.finish(), Cues({{0, 1000, wide}, {1000, 2000, tall}, {2000, 3000, wide}}));
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_stream_start("second")));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  harness.begin(segment);
  harness.push(picture, 3 * GST_SECOND, GST_SECOND);
  const Cues cues = harness.finish();
  ASSERT_THAT(cues, SizeIs(1));
  EXPECT_EQ(cues[0].text, tall);
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
}

// From a camera: `count` pictures, one every `spacing`.
struct Camera {
  const char *caps = "image/jpeg,width=64,height=36";
  GstClockTime spacing = GST_SECOND / 30;
  GstClockTime duration = GST_CLOCK_TIME_NONE;
  unsigned count = 90;
};

Cues filmed(GatewayServer &gateway, const Camera &camera, const std::string &properties) {
  Harness harness(gateway, "interval=1000000000 " + properties, camera.caps);
  const std::string red = jpeg_of("red");
  for (unsigned i = 0; i < camera.count; ++i)
    EXPECT_EQ(harness.push(red, i * camera.spacing, camera.duration), GST_FLOW_OK);
  return harness.finish();
}

Cues seconds(unsigned count) {
  Cues cues;
  for (unsigned i = 0; i < count; ++i) cues.push_back({1000 * i, 1000 * (i + 1), caption_at(0)});
  return cues;
}

TEST(MotionJpeg, IsAskedAboutOnceAnInterval) {
  const Camera kCameras[] = {
      {.caps = "image/jpeg,width=64,height=36,framerate=30/1"},
      {.duration = GST_SECOND / 30},
      {},  // what a network camera says: nothing
  };
  for (const Camera &camera : kCameras)
    for (const char *properties : {"", "image-sampling=interval", "max-in-flight=1", "scene-threshold=0"}) {
      GatewayServer gateway;
      EXPECT_EQ(filmed(gateway, camera, properties), seconds(3)) << camera.caps << " " << properties;
      EXPECT_EQ(gateway.gateway().calls(), 3u) << camera.caps << " " << properties;
    }
}

// The text of a picture without a timestamp ends without a later picture.
TEST(MotionJpeg, WithoutDurationsKnowsHowLongItsFirstCaptionIsWithTheSecondPicture) {
  GatewayServer gateway;
  Harness harness(gateway, "interval=1000000000", "image/jpeg,width=64,height=36");
  const std::string red = jpeg_of("red");
  harness.push(red, 0, GST_CLOCK_TIME_NONE);
  harness.push(red, GST_SECOND / 30, GST_CLOCK_TIME_NONE);
  GstBuffer *caption = gst_harness_pull(harness.get());
  ASSERT_TRUE(caption);
  EXPECT_EQ(GST_BUFFER_DURATION(caption), GST_SECOND);
  gst_buffer_unref(caption);
}

TEST(Slides, AreAskedAboutEach) {
  const Camera kShows[] = {
      {.caps = "image/jpeg,width=64,height=36,framerate=1/1", .spacing = GST_SECOND, .count = 3},
      {.spacing = 2500 * GST_MSECOND, .duration = 2500 * GST_MSECOND, .count = 3},
      {.spacing = 2500 * GST_MSECOND, .count = 3},
  };
  for (const Camera &show : kShows) {
    GatewayServer gateway;
    const Cues cues = filmed(gateway, show, "");
    ASSERT_THAT(cues, SizeIs(3)) << show.caps;
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(cues[i].start, i * show.spacing / GST_MSECOND) << show.caps;
    EXPECT_EQ(gateway.gateway().calls(), 3u) << show.caps;
  }
}

TEST(Slides, AreAskedAboutEachAtAnySpeedWhereThatIsAsked) {
  GatewayServer gateway;
  EXPECT_THAT(filmed(gateway, {.spacing = GST_SECOND / 4, .count = 8}, "image-sampling=every"), SizeIs(8));
  EXPECT_EQ(gateway.gateway().calls(), 8u);
}

// The encoder works on it for much longer than that; it cannot be stopped, and nothing waits for it.
TEST(LargePictures, DoNotKeepAnyoneFromGoingToNullAtOnce) {
  struct Large {
    const char *what;
    const char *properties;
    const char *caps;
    std::string made_by;
  };
  const Large kLarge[] = {
      {"8K frames", "max-frame-size=0", "video/x-raw,format=I420,width=7680,height=4320,framerate=30/1",
       "videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=I420,width=7680,height=4320"},
      {"a PNG of 6000x6000", "", "image/png",
       "videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=RGB,width=6000,height=6000 ! pngenc "
       "compression-level=1"},
  };
  std::mt19937 random(5);
  for (const Large &large : kLarge) {
    const auto picture = made_by(large.made_by);
    ASSERT_TRUE(picture) << large.what;
    // With cuts, the streaming thread waits for the codec.
    for (const char *more : {"", " frames=4 interval=1000000", " scene-threshold=0.1", " align=cuts"}) {
      GatewayServer gateway;
      Harness harness(gateway, large.properties + std::string(more), large.caps);
      // Delays of a busy machine vary.
      milliseconds best = kHang;
      for (int round = 0; round < 5; ++round) {
        gst_element_set_state(harness.element(), GST_STATE_PLAYING);
        GstBuffer *buffer = gst_buffer_copy(picture.get());
        GST_BUFFER_PTS(buffer) = 0;
        GST_BUFFER_DURATION(buffer) = GST_SECOND;
        auto pushed = std::async(std::launch::async,
                                 [&harness, buffer] { return gst_harness_push(harness.get(), buffer); });
        g_usleep(10000 + random() % 50000);
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(gst_element_set_state(harness.element(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
        best = std::min(best,
                        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin));
        EXPECT_THAT(pushed.get(), AnyOf(GST_FLOW_OK, GST_FLOW_FLUSHING));
      }
      EXPECT_LT(best, time_limit(kAtOnce)) << large.what << more;
      EXPECT_EQ(gateway.gateway().calls(), 0u) << large.what;
    }
  }
}

// The request of such a picture is 40 MB, so whatever is done with it on the way takes long as well.
TEST(LargePictures, KeepNobodyFromNullAtAnyMomentOfTheirRequest) {
  if (!measures_time()) GTEST_SKIP() << "a test of the suite timing";
  const auto picture =
      made_by("videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=I420,width=7680,height=4320");
  ASSERT_TRUE(picture);
  unsigned asked = 0;
  for (int round = 0; round < 40; ++round) {
    GatewayServer gateway;
    Harness harness(gateway, "max-frame-size=0",
                    "video/x-raw,format=I420,width=7680,height=4320,framerate=30/1");
    GstBuffer *buffer = gst_buffer_copy(picture.get());
    GST_BUFFER_PTS(buffer) = 0;
    GST_BUFFER_DURATION(buffer) = GST_SECOND;
    auto pushed = std::async(std::launch::async, [&harness, buffer] {
      gst_harness_push(harness.get(), buffer);
      gst_harness_push_event(harness.get(), gst_event_new_eos());
    });
    g_usleep(50000 * round);
    const auto begin = std::chrono::steady_clock::now();
    gst_element_set_state(harness.element(), GST_STATE_NULL);
    const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
    EXPECT_LT(took, kAtOnce) << round << " twentieths of a second";
    pushed.get();
    asked += gateway.gateway().calls();
  }
  EXPECT_GT(asked, 0u) << "too slow to see a whole request";
}

}  // namespace
}  // namespace genclip::test
