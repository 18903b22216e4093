// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions over their own video: a tee with default queues, which must never stall.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "tests/captioner/frame_count.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

constexpr unsigned kRate = 30;

std::string topology(const std::string &properties, const std::string &queue = "queue") {
  return "videotestsrc name=src ! video/x-raw,format=RGB,width=32,height=18,framerate=" +
         std::to_string(kRate) + "/1 ! tee name=t  t. ! " + queue +
         " ! textoverlay name=o ! fakesink name=sink sync=false "
         "t. ! queue ! gencaption name=cap " +
         properties + " ! o.text_sink";
}

bool seek(CaptionRun &run, uint64_t from_ms, uint64_t to_ms) {
  return gst_element_seek(run.pipeline(), 1.0, GST_FORMAT_TIME,
                          static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                          GST_SEEK_TYPE_SET, static_cast<gint64>(from_ms * GST_MSECOND), GST_SEEK_TYPE_SET,
                          static_cast<gint64>(to_ms * GST_MSECOND));
}

struct Plan {
  std::string properties;
  std::string queue = "queue";
  unsigned delay_ms = 0;
  unsigned seconds = 0;
  // Each goes to that second after that many milliseconds.
  std::vector<std::pair<unsigned, unsigned>> seeks;
  bool fails = false;
  bool hangs = false;

  explicit Plan(unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned least, unsigned most) {
      return least + static_cast<unsigned>(random() % (most - least + 1));
    };
    const unsigned interval_ms = pick(1, 70) * 100;
    const bool cuts = pick(0, 2) == 0;
    const bool within = pick(0, 2) == 0;
    // Mostly as long as the documents ask for, else one second.
    if ((cuts || within) && pick(0, 3) > 0)
      queue = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=" +
              std::to_string(std::max(2 * interval_ms, 1000u)) + "000000";
    properties = "interval=" + std::to_string(interval_ms) + "000000 frames=" + std::to_string(pick(1, 5)) +
                 " max-in-flight=" + std::to_string(pick(1, 5)) + (pick(0, 1) ? " stream=true" : "") +
                 (pick(0, 3) == 0 ? " scene-threshold=0.3" : "") + (pick(0, 3) == 0 ? " context=2" : "") +
                 (pick(0, 5) == 0 ? " max-requests=2" : "") +
                 (pick(0, 1) ? " max-line-length=12 max-lines=1 max-cps=20" : "") +
                 " on-error=skip retries=0 timeout=1" +
                 (cuts ? " align=cuts min-interval=" + std::to_string(pick(1, 20) * 100) + "000000" : "") +
                 (within ? " stills=within" : "");
    delay_ms = pick(0, 2) ? pick(0, 40) : 0;
    seconds = pick(1, 12);
    fails = pick(0, 4) == 0;
    hangs = pick(0, 9) == 0;
    for (unsigned left = pick(0, 3); left > 0; --left) seeks.emplace_back(pick(0, 60), pick(0, seconds - 1));
  }
  friend std::ostream &operator<<(std::ostream &out, const Plan &plan) {
    out << plan.properties << ", delay " << plan.delay_ms << " ms, " << plan.seconds << " s, fails "
        << plan.fails << ", hangs " << plan.hangs << ", " << plan.queue;
    for (const auto &[after, to] : plan.seeks) out << ", after " << after << " ms to " << to << " s";
    return out;
  }
};

void expect_all_frames(unsigned seed) {
  const Plan plan(seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << plan);
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(plan.delay_ms), .between = {}});
  if (plan.hangs) gateway.fault(sim::GatewayFaultKind::hang, 2);
  if (plan.fails) gateway.fault(sim::GatewayFaultKind::status, 2, 503);
  CaptionRun run(gateway, topology(plan.properties, plan.queue));
  const FrameCount frames(run);
  run.go(GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(run.pipeline(), nullptr, nullptr, 30 * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS)
      << "no preroll";
  unsigned from = 0;
  ASSERT_TRUE(seek(run, 0, plan.seconds * 1000));
  run.go(GST_STATE_PLAYING);
  for (const auto &[after, to] : plan.seeks) {
    g_usleep(after * 1000);
    if (seek(run, to * 1000, plan.seconds * 1000)) from = to;
  }
  // A seek after the end causes another EOS.
  std::string end = run.finish(std::chrono::seconds(30));
  while (end.empty() && frames.count() != (plan.seconds - from) * kRate && !plan.seeks.empty()) {
    end = run.finish(std::chrono::seconds(5));
    if (end == "stalled") break;
  }
  EXPECT_EQ(end, "");
  EXPECT_EQ(frames.count(), (plan.seconds - from) * kRate);
  EXPECT_THAT(gateway.gateway().problems(), testing::IsEmpty());
  EXPECT_LE(run.time_to_null(), time_limit(std::chrono::seconds(5)))
      << "states_test.cpp has the bound for an idle machine";
}

TEST(Overlay, WithDefaultQueuesNeverStalls) {
  // GENCLIP_OVERLAY_RUNS=1000 for the long run.
  const char *runs = g_getenv("GENCLIP_OVERLAY_RUNS");
  const unsigned count = runs ? static_cast<unsigned>(std::atoi(runs)) : 30;
  std::atomic<unsigned> next = 1;
  std::vector<std::thread> threads;
  // They mostly wait.
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&next, count] {
      for (unsigned seed = next++; seed <= count && !testing::Test::HasFailure(); seed = next++)
        expect_all_frames(seed);
    });
  for (std::thread &thread : threads) thread.join();
}

TEST(Overlay, WithTheDefaultIntervalPrerollsAndEnds) {
  GatewayServer gateway;
  CaptionRun run(gateway, topology(""));
  const FrameCount frames(run);
  run.go(GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(run.pipeline(), nullptr, nullptr, 30 * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS);
  ASSERT_TRUE(seek(run, 0, 17000));
  EXPECT_EQ(run.play(), "");
  EXPECT_EQ(frames.count(), 17 * kRate);
}

// Maximum delay of a frame at the sink.
struct Lateness {
  std::atomic<GstElement *> pipeline = nullptr;
  std::atomic<uint64_t> most = 0;
};

GstPadProbeReturn look_how_late(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto &lateness = *static_cast<Lateness *>(data);
  GstElement *pipeline = lateness.pipeline;
  const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(pipeline));
  if (!clock || GST_STATE(pipeline) != GST_STATE_PLAYING) return GST_PAD_PROBE_OK;
  const uint64_t now = gst_clock_get_time(clock.get()) - gst_element_get_base_time(pipeline);
  const uint64_t pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  if (now > pts) lateness.most = std::max<uint64_t>(lateness.most, now - pts);
  return GST_PAD_PROBE_OK;
}

std::chrono::milliseconds most_late(const std::string &queue) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(2000), .between = {}});
  Lateness lateness;
  CaptionRun run(
      gateway,
      "videotestsrc name=src num-buffers=110 ! video/x-raw,format=RGB,width=32,height=18,framerate=30/1 ! "
      "tee name=t  t. ! " +
          queue +
          " ! textoverlay name=o ! fakesink name=sink sync=true  t. ! queue ! gencaption name=cap "
          "interval=3000000000 ! o.text_sink");
  lateness.pipeline = run.pipeline();
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("sink").get(), "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, look_how_late, &lateness, nullptr);
  EXPECT_EQ(run.play(), "");
  return std::chrono::milliseconds(lateness.most / GST_MSECOND);
}

// With a default queue the request is sent one second before its answer is needed, and the picture waits for
// the rest.
TEST(Overlay, PlaysWithoutAStallWhereItsQueueHoldsAnAnswer) {
  if (!measures_time()) GTEST_SKIP() << "the suite timing measures";
  EXPECT_LE(most_late("queue max-size-time=4000000000 max-size-buffers=0 max-size-bytes=0"),
            time_limit(std::chrono::milliseconds(500)));
}

}  // namespace
}  // namespace genclip::test
