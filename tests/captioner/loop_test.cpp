// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Time that does not just go on: loops over a film, and jumps in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/captioner/harness.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::IsEmpty;

constexpr char kLoopGreys[] = "video/x-raw,format=RGB,width=4,height=4,framerate=10/1";
constexpr uint64_t kLoopTick = GST_SECOND / 10;

// A film of an encoder, four seconds long.
std::string make_film(const GatewayServer &gateway, const std::string &folder) {
  const std::string film = folder + "/film.mp4";
  CaptionRun run(
      gateway,
      "videotestsrc name=src num-buffers=100 ! video/x-raw,format=RGB,width=160,height=90,framerate=25/1 "
      "! videoconvert ! x264enc speed-preset=ultrafast key-int-max=25 ! h264parse ! mp4mux ! filesink "
      "location=" +
          film);
  EXPECT_EQ(run.play(), "");
  return film;
}

bool seek(CaptionRun &run, unsigned flags) {
  return gst_element_seek(run.pipeline(), 1.0, GST_FORMAT_TIME, static_cast<GstSeekFlags>(flags),
                          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, 4 * GST_SECOND);
}

// Keeps pictures from an element: a flush would cancel what was asked about them, and it would be asked
// again.
class Barrier {
 public:
  explicit Barrier(const GRef<GstElement> &element)
      : pad_(GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "sink"))) {
    const auto waits = [](GstPad *, GstPadProbeInfo *, gpointer reached) {
      static_cast<std::atomic<bool> *>(reached)->store(true);
      return GST_PAD_PROBE_OK;
    };
    constexpr auto kPictures =
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER);
    probe_ = gst_pad_add_probe(pad_.get(), kPictures, waits, &reached_, nullptr);
  }
  ~Barrier() { gst_pad_remove_probe(pad_.get(), probe_); }
  Barrier(const Barrier &) = delete;
  Barrier &operator=(const Barrier &) = delete;

  bool wait() const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!reached_ && std::chrono::steady_clock::now() < end) g_usleep(1000);
    return reached_;
  }

 private:
  const GRef<GstPad> pad_;
  std::atomic<bool> reached_ = false;
  gulong probe_ = 0;
};

// Number of requests of `passes` passes without a flush in between.
unsigned requests_of_loop(GatewayServer &gateway, const std::string &film, const std::string &properties,
                          unsigned passes) {
  const unsigned before = gateway.gateway().calls();
  CaptionRun run(gateway, "filesrc location=" + film +
                              " ! decodebin ! videoconvert ! gencaption name=cap interval=1000000000 " +
                              properties + " ! appsink name=out sync=false async=false");
  {
    const Barrier barrier(run.element("cap"));
    run.go(GST_STATE_PAUSED);
    EXPECT_TRUE(barrier.wait());
    EXPECT_TRUE(seek(run, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE | GST_SEEK_FLAG_SEGMENT));
  }
  run.go(GST_STATE_PLAYING);
  for (unsigned pass = 1; pass < passes; ++pass) {
    EXPECT_TRUE(run.wait(GST_MESSAGE_SEGMENT_DONE)) << pass;
    EXPECT_TRUE(seek(run, pass + 1 < passes ? GST_SEEK_FLAG_SEGMENT : GST_SEEK_FLAG_NONE));
  }
  EXPECT_EQ(run.finish(), "");
  const Cues cues = run.cues();
  const size_t of_pass = cues.size() / passes;
  EXPECT_GE(of_pass, 4u);
  EXPECT_EQ(cues.size(), of_pass * passes) << testing::PrintToString(cues);
  for (size_t i = of_pass; i < cues.size(); ++i) EXPECT_EQ(cues[i], cues[i - of_pass]);
  EXPECT_THAT(run.warnings(), IsEmpty());
  return gateway.gateway().calls() - before;
}

TEST(Loop, OverAFilmIsPaidForOnceForEver) {
  for (const char *properties : {"", "align=cuts min-interval=500000000", "stills=within frames=2"}) {
    TemporaryFolder folder;
    GatewayServer gateway;
    const std::string film = make_film(gateway, folder.path());
    const std::string all = std::string(properties) + " cache=auto store=" + folder.path() + "/store";
    EXPECT_EQ(requests_of_loop(gateway, film, all, 3), 4u) << properties;
    EXPECT_EQ(requests_of_loop(gateway, film, all, 2), 0u) << properties << ": the store has all answers";
  }
}

TEST(Jump, AheadLeavesTheTimeInBetweenWithoutACaption) {
  for (const char *properties : {"", "align=cuts", "stills=within", "align=cuts stills=within"}) {
    GatewayServer gateway;
    Harness harness(gateway, properties, kLoopGreys);
    const std::string picture(48, '\0');
    for (unsigned at = 0; at < 20; ++at)
      ASSERT_EQ(harness.push(picture, at * kLoopTick, kLoopTick), GST_FLOW_OK);
    for (unsigned at = 600; at < 620; ++at)
      ASSERT_EQ(harness.push(picture, at * kLoopTick, kLoopTick), GST_FLOW_OK);
    const std::string said = "1 still of 4x4. It is black.";
    EXPECT_EQ(harness.finish(), Cues({{0, 5000, said}, {60000, 65000, said}})) << properties;
    EXPECT_EQ(gateway.gateway().calls(), 2u) << properties;
  }
}

TEST(Jump, BackWithoutASegmentIsNotAskedAboutAgain) {
  for (const char *properties : {"align=cuts", "stills=within", "align=cuts stills=within"}) {
    GatewayServer gateway;
    Harness harness(gateway, properties, kLoopGreys);
    const std::string picture(48, '\0');
    for (const unsigned from : {0, 40, 10})
      for (unsigned at = from; at < from + 45; ++at)
        ASSERT_EQ(harness.push(picture, at * kLoopTick, kLoopTick), GST_FLOW_OK);
    EXPECT_EQ(harness.finish().size(), 2u) << properties;
    EXPECT_EQ(gateway.gateway().calls(), 2u) << properties;
  }
}

TEST(LongPictures, KeepTheirCaptionsWhereverWindowsEnd) {
  for (const char *properties : {"align=cuts", "stills=within", "align=cuts stills=within"}) {
    GatewayServer gateway;
    Harness harness(gateway, properties, "video/x-raw,format=RGB,width=4,height=4,framerate=0/1");
    const auto slide = [](char level) { return std::string(48, level); };
    harness.push(slide(0), 0, 32 * GST_SECOND);
    harness.push(slide(-1), 32 * GST_SECOND, 12 * GST_SECOND);
    EXPECT_EQ(harness.finish(), Cues({{0, 32000, "1 still of 4x4. It is black."},
                                      {32000, 44000, "1 still of 4x4. It is white."}}))
        << properties;
  }
}

}  // namespace
}  // namespace genclip::test
