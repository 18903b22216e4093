// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/output_pipeline.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/output/encoders.h"
#include "plugin/output/output_recipe.h"
#include "tests/support/time_limit.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;

Clock::Time in(milliseconds time) { return Clock::system().now() + time; }

// The changes of state of all pipelines, which a test can hold up before they begin.
class StateChanges {
 public:
  static StateChanges &shared() {
    static auto &changes = *new StateChanges;
    return changes;
  }

  void hold(std::optional<GstState> state) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    held_ = state;
    done_.clear();
    changed_.notify_all();
  }
  bool wait_held() EXCLUDES(mutex_) {
    const auto limit = in(test::kHang);
    MutexLock lock(mutex_);
    while (!holds_somebody_ && changed_.wait_until(lock, limit)) {
    }
    return holds_somebody_;
  }
  void begin(GstState state) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (held_ == state) {
      holds_somebody_ = true;
      changed_.notify_all();
      changed_.wait(lock);
    }
    holds_somebody_ = false;
  }
  void end(GstState state) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    done_.push_back(state);
  }
  std::vector<GstState> done() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return done_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::optional<GstState> held_ GUARDED_BY(mutex_);
  bool holds_somebody_ GUARDED_BY(mutex_) = false;
  std::vector<GstState> done_ GUARDED_BY(mutex_);
};

EncodedFrame frame(Stream stream, int64_t time, bool key_frame) {
  const auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, 16, nullptr));
  const auto caps = GRef<GstCaps>::adopt(gst_caps_new_empty_simple("video/x-h264"));
  return {stream,
          GRef<GstSample>::adopt(gst_sample_new(buffer.get(), caps.get(), nullptr, nullptr)),
          {time, time},
          key_frame};
}

// An output that is built just behind a key frame waits for the next one, which may take 2 s: it is not
// stalled.
TEST(OutputPipeline, IsFedFromItsFirstKeyFrameOn) {
  auto built =
      OutputPipeline::build({OutputKind::udp, "127.0.0.1:9", "127.0.0.1", 9}, {}, "h264parse", nullptr, {});
  ASSERT_TRUE(built) << built.error().text;
  OutputPipeline &pipeline = **built;
  EXPECT_FALSE(pipeline.feed(frame(Stream::video, 0, false)));
  EXPECT_FALSE(pipeline.feed(frame(Stream::audio, 0, true)));
  EXPECT_EQ(pipeline.fed(), 0u);
  pipeline.feed(frame(Stream::video, 40, true));
  EXPECT_EQ(pipeline.fed(), 1u);
  EXPECT_FALSE(pipeline.feed(frame(Stream::audio, 0, true))) << "from before the key frame";
  EXPECT_EQ(pipeline.fed(), 2u) << "what is not taken counts, too";
}

// rtmp2sink splits a location at its last "/".
TEST(OutputPipeline, PublishesToTheApplicationOfTheUrl) {
  const auto made = make_pipeline(
      {.kind = OutputKind::rtmp, .target = "rtmp://me:pw@host/live/KEY?token=a/b"}, {}, "h264parse");
  ASSERT_TRUE(made) << made.error().text;
  const auto sink = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(made->get()), "sink"));
  const auto text_of = [&](const char *property) {
    char *text = nullptr;
    g_object_get(sink.get(), property, &text, nullptr);
    const GStringPtr held(text);
    return std::string(text ? text : "");
  };
  EXPECT_EQ(text_of("host"), "host");
  EXPECT_EQ(text_of("username"), "me");
  EXPECT_EQ(text_of("application"), "live");
  EXPECT_EQ(text_of("stream"), "KEY?token=a/b");
}

// As RFC 8216 demands of the target duration: the last segment has part of a group of pictures, too.
TEST(OutputPipeline, MakesNoSegmentThatRoundsToMoreThanTheTargetDuration) {
  for (unsigned seconds = kKeyFrameSeconds; seconds <= 60; seconds += kKeyFrameSeconds) {
    const auto longest = static_cast<double>(longest_segment(seconds)) / GST_SECOND;
    EXPECT_EQ(std::lround(longest), seconds);
    // 23.976 and 29.97 frames a second, whose groups last 2.002 s, and a frame of 3 a second.
    EXPECT_GT(longest, seconds * 1.001 + 1 / 3.0);
  }
  OutputSettings settings;
  settings.segment_seconds = 6;
  const auto made = make_pipeline({.kind = OutputKind::hls, .target = "www"}, settings, "h264parse");
  ASSERT_TRUE(made) << made.error().text;
  const auto mux = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(made->get()), "mux"));
  guint64 longest = 0;
  g_object_get(mux.get(), "max-size-time", &longest, nullptr);
  EXPECT_EQ(longest, longest_segment(6));
}

// The changes are made on threads, which may be late. It would keep its port.
TEST(OutputPipeline, DoesNotPlayWhenItIsClosed) {
  auto built =
      OutputPipeline::build({OutputKind::udp, "127.0.0.1:9", "127.0.0.1", 9}, {}, "h264parse", nullptr, {});
  ASSERT_TRUE(built) << built.error().text;
  OutputPipeline &pipeline = **built;
  auto &changes = StateChanges::shared();
  changes.hold(GST_STATE_PLAYING);
  pipeline.start();
  EXPECT_TRUE(changes.wait_held());
  pipeline.close();
  EXPECT_FALSE(pipeline.wait_closed(in(milliseconds(100))));
  changes.hold({});
  ASSERT_TRUE(pipeline.wait_closed(in(test::kHang)));
  EXPECT_EQ(changes.done(), (std::vector{GST_STATE_PLAYING, GST_STATE_NULL}));
}

}  // namespace
}  // namespace genclip

// In the place of GStreamer's.
extern "C" GstStateChangeReturn gst_element_set_state(GstElement *element, GstState state) {
  static const auto real =
      reinterpret_cast<decltype(&gst_element_set_state)>(dlsym(RTLD_NEXT, "gst_element_set_state"));
  if (!GST_IS_PIPELINE(element)) return real(element, state);
  auto &changes = genclip::StateChanges::shared();
  changes.begin(state);
  const auto result = real(element, state);
  changes.end(state);
  return result;
}
