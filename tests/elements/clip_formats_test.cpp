// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real clips of the simulator through real pipelines: both layouts of an mp4, small and large, pushed and
// pulled.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "examples/simulator/simulator.h"
#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr uint64_t kMegabyte = 1000 * 1000;
// Few frames a second: rendering and decoding is most of the work.
constexpr unsigned kRate = 5, kFrames = 4 * kRate;

struct Format {
  bool faststart;
  unsigned megabytes;  // at least; 0: as it is rendered
  bool pulled;
};

void PrintTo(const Format &format, std::ostream *out) {
  *out << (format.faststart ? "moov first" : "moov last") << ", " << format.megabytes << " MB, "
       << (format.pulled ? "pulled" : "pushed");
}

std::vector<Format> formats() {
  std::vector<Format> all;
  for (const bool faststart : {true, false})
    for (const unsigned megabytes : {0, 6, 12})
      for (const bool pulled : {true, false}) all.push_back({faststart, megabytes, pulled});
  return all;
}

// One for each kind of file, because rendering is slow.
sim::Simulator &simulator_of(const Format &format) {
  static std::map<std::pair<bool, unsigned>, std::unique_ptr<sim::Simulator>> all;
  auto &found = all[{format.faststart, format.megabytes}];
  if (!found) {
    sim::SimulatorOptions options;
    options.faststart = format.faststart;
    options.padding = format.megabytes * kMegabyte;
    options.frames_per_second = kRate;
    found = std::make_unique<sim::Simulator>(options);
    EXPECT_TRUE(found->start());
  }
  return *found;
}

void ask_for_a_clip(ClipPipeline &clip, const std::string &base_url, const std::string &store) {
  use(clip, base_url, store);
  clip.set("api-key", "sim-key");
  clip.set("prompt", "a red kite");
  clip.set("duration", "4");
}

unsigned count_frames(ClipPipeline &clip, std::optional<BusError> &error) {
  unsigned frames = 0;
  const auto handoff = +[](GstElement *, GstBuffer *, GstPad *, unsigned *count) { ++*count; };
  g_signal_connect(clip.element("sink").get(), "handoff", G_CALLBACK(handoff), &frames);
  error = clip.play();
  clip.go(GST_STATE_NULL);  // Nobody counts into a variable that is gone.
  return frames;
}

class ClipFormat : public testing::TestWithParam<Format> {};

TEST_P(ClipFormat, IsDecodedWhole) {
  sim::Simulator &simulator = simulator_of(GetParam());
  TemporaryFolder store;
  ClipPipeline clip("decodebin ! fakesink name=sink sync=false signal-handoffs=true");
  ask_for_a_clip(clip, simulator.base_url(), store.path());
  clip.set("random-access", GetParam().pulled ? "true" : "false");
  std::optional<BusError> error;
  const unsigned frames = count_frames(clip, error);
  EXPECT_FALSE(error) << error->text << error->debug;
  EXPECT_EQ(frames, kFrames);
  EXPECT_EQ(simulator.stats().media_with_authorization, 0u);
}

INSTANTIATE_TEST_SUITE_P(ClipSrc, ClipFormat, testing::ValuesIn(formats()), [](const auto &row) {
  const Format &format = row.param;
  return std::string(format.faststart ? "MoovFirst" : "MoovLast") + std::to_string(format.megabytes) + "MB" +
         (format.pulled ? "Pulled" : "Pushed");
});

TEST(ClipProgressive, ShowsItsFirstFrameWhileTheRestIsStillOnItsWay) {
  sim::SimulatorOptions options;
  options.faststart = true;
  options.media_bytes_per_second = 100 * 1000;
  options.padding = 12 * kMegabyte;
  options.frames_per_second = kRate;
  sim::Simulator simulator(options);
  ASSERT_TRUE(simulator.start());
  TemporaryFolder store;
  ClipPipeline clip("decodebin ! fakesink name=sink sync=false");
  ask_for_a_clip(clip, simulator.base_url(), store.path());
  clip.go(GST_STATE_PAUSED);
  ASSERT_TRUE(clip.wait(GST_MESSAGE_ASYNC_DONE));
  EXPECT_EQ(clip.get("status"), "downloading");
  EXPECT_LT(simulator.stats().bytes_sent, 6 * kMegabyte);
}

TEST(ClipProgressive, AStoredClipPlaysWithoutTheService) {
  TemporaryFolder store;
  std::string base_url;
  {
    sim::Simulator simulator({.frames_per_second = kRate});
    ASSERT_TRUE(simulator.start());
    base_url = simulator.base_url();
    ClipPipeline clip;
    ask_for_a_clip(clip, base_url, store.path());
    ASSERT_FALSE(clip.play());
  }
  ClipPipeline clip("decodebin ! fakesink name=sink sync=false signal-handoffs=true");
  ask_for_a_clip(clip, base_url, store.path());
  std::optional<BusError> error;
  EXPECT_EQ(count_frames(clip, error), kFrames);
  EXPECT_FALSE(error) << error->text;
}

}  // namespace
}  // namespace genclip::test
