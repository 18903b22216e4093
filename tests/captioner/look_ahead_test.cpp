// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions that need pictures behind their first one: windows that end with cuts, stills from within the
// window, repetitions that join.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/frame_count.h"
#include "tests/captioner/harness.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kTenGreys[] = "video/x-raw,format=RGB,width=4,height=4,framerate=10/1";
constexpr uint64_t kTenth = GST_SECOND / 10;

std::string grey(unsigned level) { return std::string(48, static_cast<char>(level)); }

// Tenths of a second [from, to) of one picture.
void push_scene(Harness &harness, unsigned from, unsigned to, unsigned level) {
  for (unsigned at = from; at < to; ++at)
    ASSERT_EQ(harness.push(grey(level), at * kTenth, kTenth), GST_FLOW_OK);
}

std::vector<std::pair<uint64_t, uint64_t>> times(const Cues &cues) {
  std::vector<std::pair<uint64_t, uint64_t>> all;
  for (const Cue &cue : cues) all.emplace_back(cue.start, cue.end);
  return all;
}
using Times = std::vector<std::pair<uint64_t, uint64_t>>;

std::string test_film(unsigned seconds, const std::string &properties) {
  return "videotestsrc name=src num-buffers=" + std::to_string(10 * seconds) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap " + properties +
         " ! appsink name=out sync=false";
}

TEST(Cuts, EndWindows) {
  for (const char *stills : {"before", "within"}) {
    GatewayServer gateway;
    Harness harness(gateway, std::string("align=cuts stills=") + stills, kTenGreys);
    push_scene(harness, 0, 23, 0);
    push_scene(harness, 23, 60, 255);
    push_scene(harness, 60, 130, 0);
    EXPECT_EQ(times(harness.finish()), Times({{0, 2300}, {2300, 6000}, {6000, 11000}, {11000, 16000}}))
        << stills;
    EXPECT_EQ(gateway.gateway().calls(), 4u);
    EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  }
}

TEST(Cuts, AreNotSeenInWhatMoves) {
  for (const char *pattern :
       {"ball", "ball motion=sweep", "zone-plate kx2=20 ky2=20 kt=1", "smpte horizontal-speed=8", "snow"}) {
    GatewayServer gateway;
    CaptionRun run(gateway, "videotestsrc num-buffers=150 pattern=" + std::string(pattern) +
                                " ! video/x-raw,width=640,height=360,framerate=25/1 ! gencaption name=cap "
                                "align=cuts interval=3000000000 ! appsink name=out sync=false");
    ASSERT_EQ(run.play(), "") << pattern;
    EXPECT_EQ(times(run.cues()), Times({{0, 3000}, {3000, 6000}})) << pattern;
  }
}

TEST(Cuts, AreChangesByTheThreshold) {
  GatewayServer gateway;
  Harness harness(gateway, "align=cuts scene-threshold=0.5", kTenGreys);
  push_scene(harness, 0, 20, 0);
  push_scene(harness, 20, 40, 100);
  push_scene(harness, 40, 60, 255);
  EXPECT_EQ(times(harness.finish()), Times({{0, 4000}, {4000, 9000}})) << "100 of 255 is no cut";
}

TEST(Cuts, EndNoWindowBeforeMinInterval) {
  GatewayServer gateway;
  Harness harness(gateway, "align=cuts min-interval=1500000000", kTenGreys);
  for (unsigned at = 0; at < 45; ++at)
    ASSERT_EQ(harness.push(grey(at % 2 ? 255 : 0), at * kTenth, kTenth), GST_FLOW_OK);
  const Times all = times(harness.finish());
  EXPECT_THAT(all, ElementsAre(std::pair(0, 1500), std::pair(1500, 3000), std::pair(3000, 8000)));
}

TEST(Cuts, OfEachPassOfALoopAreTheSameAndPaidOnce) {
  for (const char *properties :
       {"align=cuts", "align=cuts stills=within max-cps=20", "stills=within frames=3"}) {
    GatewayServer gateway;
    Harness harness(gateway, properties, kTenGreys);
    for (unsigned pass = 0; pass < 3; ++pass) {
      GstSegment segment;
      gst_segment_init(&segment, GST_FORMAT_TIME);
      segment.stop = 8 * GST_SECOND;
      segment.base = pass * segment.stop;
      harness.begin(segment);
      push_scene(harness, 0, 31, 0);
      push_scene(harness, 31, 80, 255);
      gst_harness_push_event(harness.get(), gst_event_new_segment_done(GST_FORMAT_TIME, segment.stop));
    }
    const Cues cues = harness.finish();
    ASSERT_THAT(cues, SizeIs(6)) << properties;
    for (unsigned i = 2; i < 6; ++i) EXPECT_EQ(cues[i], cues[i - 2]) << properties;
    EXPECT_EQ(gateway.gateway().calls(), 2u) << properties;
  }
}

std::vector<std::string> prompts(const GatewayServer &gateway) {
  std::vector<std::string> all;
  for (const Json &body : gateway.bodies()) all.push_back(body.to_text());
  return all;
}

// Two seconds, one, and five, which the end of the stream ends.
void push_three_scenes(Harness &harness) {
  push_scene(harness, 0, 20, 0);
  push_scene(harness, 20, 30, 255);
  push_scene(harness, 30, 80, 0);
}

TEST(Cuts, LeaveEachWindowTheTextThatItHasTimeFor) {
  GatewayServer gateway;
  Harness harness(gateway, "align=cuts stills=within max-cps=20 max-in-flight=1", kTenGreys);
  push_three_scenes(harness);
  harness.finish();
  EXPECT_THAT(prompts(gateway), ElementsAre(HasSubstr("at most 40 characters in all;"),
                                            HasSubstr("at most 20 characters in all;"),
                                            HasSubstr("at most 100 characters in all;")));
}

// The request is sent with the first picture, before anybody knows where the scene ends.
TEST(Cuts, MayMakeAWindowShorterThanTheModelIsToldSoItIsToldBoth) {
  GatewayServer gateway;
  Harness harness(gateway, "align=cuts max-cps=20 min-interval=1500000000 max-in-flight=1", kTenGreys);
  push_three_scenes(harness);
  harness.finish();
  EXPECT_THAT(prompts(gateway), testing::Each(HasSubstr("at most 100 characters in all, of which only the "
                                                        "first 30 are shown if the scene is short;")));
}

TEST(Cuts, AreNoGaps) {
  GatewayServer gateway;
  Harness harness(gateway, "align=cuts", kTenGreys);
  push_scene(harness, 0, 10, 0);
  gst_harness_push_event(harness.get(), gst_event_new_gap(GST_SECOND, GST_SECOND));
  push_scene(harness, 20, 30, 0);
  EXPECT_EQ(times(harness.finish()), Times({{0, 5000}}));
}

TEST(Cuts, OfAFilmPlayedInReverseAreIgnored) {
  GatewayServer gateway;
  Harness harness(gateway, "align=cuts interval=2000000000", kTenGreys);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = 4 * GST_SECOND;
  harness.begin(segment);
  for (unsigned at = 40; at-- > 0;)
    ASSERT_EQ(harness.push(grey(at > 27 ? 255 : 0), at * kTenth, kTenth), GST_FLOW_OK);
  EXPECT_EQ(times(harness.finish()), Times({{2000, 4000}, {0, 2000}}));
}

TEST(Cuts, OfMotionJpegEndWindowsToo) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "videotestsrc name=src num-buffers=60 ! "
                 "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! jpegenc ! gencaption name=cap "
                 "align=cuts ! appsink name=out sync=false");
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues().size(), 6u) << "another colour each second";
}

TEST(Within, TheStillsLieInTheirOwnWindow) {
  GatewayServer gateway;
  CaptionRun run(gateway, test_film(6, "stills=within interval=2000000000 frames=4"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(),
            Cues({{0, 2000, "4 stills of 64x36. It is red. It is red. It is green. It is green."},
                  {2000, 4000, "4 stills of 64x36. It is blue. It is blue. It is yellow. It is yellow."},
                  {4000, 6000, "4 stills of 64x36. It is white. It is white. It is black. It is black."}}));
  EXPECT_THAT(run.warnings(), IsEmpty());
}

TEST(Within, TheOnlyStillIsTheMiddleOne) {
  GatewayServer gateway;
  CaptionRun run(gateway, test_film(6, "stills=within interval=3000000000"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), Cues({{0, 3000, caption_at(1)}, {3000, 6000, caption_at(4)}}));
}

TEST(Within, TheSameOnEveryRunWhateverTheTiming) {
  for (const char *properties : {"max-in-flight=1", "max-in-flight=8 align=cuts", "stream=true"}) {
    GatewayServer gateway;
    gateway.gateway().set_pace({.chunk = 7, .before = std::chrono::milliseconds(20), .between = {}});
    Cues first;
    for (int round = 0; round < 3; ++round) {
      CaptionRun run(gateway,
                     test_film(12, std::string("stills=within interval=1500000000 frames=2 ") + properties));
      ASSERT_EQ(run.play(), "") << properties;
      if (round == 0) first = run.cues();
      EXPECT_EQ(run.cues(), first) << properties;
    }
    EXPECT_GE(first.size(), 8u) << properties;
  }
}

TEST(Within, TheLastWindowIsAskedAboutAtTheEndOfTheStreamOrSegment) {
  GatewayServer gateway;
  Harness harness(gateway, "stills=within", kTenGreys);
  push_scene(harness, 0, 12, 0);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.base = 10 * GST_SECOND;
  harness.begin(segment);
  push_scene(harness, 0, 12, 255);
  EXPECT_EQ(harness.finish(),
            Cues({{0, 5000, "1 still of 4x4. It is black."}, {0, 5000, "1 still of 4x4. It is white."}}));
}

TEST(Within, AGapToTheEndOfTheWindowEndsIt) {
  GatewayServer gateway;
  Harness harness(gateway, "stills=within", kTenGreys);
  push_scene(harness, 0, 12, 0);
  gst_harness_push_event(harness.get(), gst_event_new_gap(1200 * GST_MSECOND, 8 * GST_SECOND));
  GstBuffer *caption = gst_harness_pull(harness.get());
  ASSERT_TRUE(caption);
  EXPECT_EQ(GST_BUFFER_DURATION(caption), 5 * GST_SECOND);
  gst_buffer_unref(caption);
  EXPECT_THAT(harness.warnings(), IsEmpty()) << "nothing had to wait";
}

TEST(Within, ASeekForgetsTheWindowThatHasNotEnded) {
  GatewayServer gateway;
  Harness harness(gateway, "stills=within", kTenGreys);
  push_scene(harness, 0, 12, 0);
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 20 * GST_SECOND;
  harness.begin(segment);
  push_scene(harness, 200, 212, 255);
  EXPECT_EQ(harness.finish(), Cues({{20000, 25000, "1 still of 4x4. It is white."}}));
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

TEST(Within, APictureThatCannotBeEncodedFailsLikeOthers) {
  GatewayServer gateway;
  Harness harness(gateway, "stills=within image-sampling=interval on-error=skip", "image/jpeg");
  for (unsigned at = 0; at < 12; ++at) harness.push("no picture", at * kTenth, kTenth);
  EXPECT_THAT(harness.finish(), IsEmpty());
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("A picture cannot be sent")));
}

TEST(Within, AsksOnlyWhereThePictureChanged) {
  GatewayServer gateway;
  Harness harness(gateway, "stills=within scene-threshold=0.2 merge-repeats=true interval=1000000000",
                  kTenGreys);
  push_scene(harness, 0, 30, 0);
  push_scene(harness, 30, 50, 255);
  EXPECT_EQ(harness.finish(),
            Cues({{0, 3000, "1 still of 4x4. It is black."}, {3000, 5000, "1 still of 4x4. It is white."}}));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
}

// A live source of pictures.
std::string live(const std::string &properties) {
  return "videotestsrc name=src is-live=true num-buffers=30 ! "
         "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap " +
         properties + " ! fakesink sync=false";
}

TEST(LiveWithin, IsRefusedUnlessTheLatencyCoversAnInterval) {
  GatewayServer gateway;
  CaptionRun refused(gateway, live("stills=within"));
  const std::string error = refused.play();
  EXPECT_THAT(error, HasSubstr("stills=within"));
  EXPECT_THAT(error, HasSubstr("Set latency to 9000"));
  EXPECT_EQ(gateway.gateway().calls(), 0u);
  CaptionRun taken(gateway, live("stills=within interval=500000000 latency=60000"));
  EXPECT_EQ(taken.play(), "");
  EXPECT_GE(taken.stat("captions"), 3u);
}

// Upstream posts an error of its own about the refused buffer, and the first error is the one that people
// read.
TEST(LiveWithin, IsRefusedByTheStreamNotByAQueryOfItsLatency) {
  GatewayServer gateway;
  Harness harness(gateway, "stills=within", kTenGreys);
  gst_harness_set_live(harness.get(), TRUE);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(harness.element()));
  gst_harness_query_latency(harness.get());
  EXPECT_FALSE(GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR)));
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(harness.push(grey(0), again * kTenth, kTenth), GST_FLOW_ERROR);
  EXPECT_TRUE(GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR)));
  EXPECT_FALSE(GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR))) << "once";
  EXPECT_EQ(gateway.gateway().calls(), 0u);
}

TEST(LiveCuts, EndCaptionsWhereTheLatencyIsLongEnough) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "videotestsrc name=src is-live=true num-buffers=30 ! "
                 "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap align=cuts "
                 "latency=60000 max-in-flight=4 ! appsink name=out sync=false");
  ASSERT_EQ(run.play(), "");
  const Cues cues = run.cues();
  ASSERT_GE(cues.size(), 2u);
  // With the first picture of another colour.
  for (size_t i = 1; i < cues.size(); ++i) EXPECT_LT(cues[i].start % 1000, 100u) << cues[i];
}

TEST(Repeats, AreOneLongCueInAFile) {
  for (const char *properties : {"", "max-in-flight=1", "max-in-flight=8", "stream=true"}) {
    GatewayServer gateway;
    gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(20), .between = {}});
    CaptionRun run(
        gateway,
        test_film(8, std::string("interval=500000000 scene-threshold=0.2 merge-repeats=true max-cps=0 ") +
                         properties));
    ASSERT_EQ(run.play(), "");
    if (*properties != 's') {
      EXPECT_EQ(run.cues(), each_second(8)) << properties;
    }
    EXPECT_EQ(gateway.gateway().calls(), 8u);
  }
}

TEST(Repeats, ReachFromEndToEndOfAFilmThatStandsStill) {
  GatewayServer gateway;
  Harness harness(gateway, "scene-threshold=0.1 merge-repeats=true interval=1000000000", kTenGreys);
  push_scene(harness, 0, 600, 0);
  EXPECT_EQ(times(harness.finish()), Times({{0, 60000}}));
  EXPECT_EQ(harness.stat("captions"), 1u);
  EXPECT_EQ(harness.stat("requests"), 1u);
}

TEST(Repeats, HaveCuesOfTheirOwnUnlessTheyAreMerged) {
  GatewayServer gateway;
  Harness harness(gateway, "scene-threshold=0.1 interval=1000000000", kTenGreys);
  push_scene(harness, 0, 30, 0);
  const std::string black = "1 still of 4x4. It is black.";
  EXPECT_EQ(harness.finish(), Cues({{0, 1000, black}, {1000, 2000, black}, {2000, 3000, black}}));
  EXPECT_EQ(harness.stat("requests"), 1u);
}

// Without scene-threshold, the run has the answers about equal stills already. That of an earlier scene is
// another text.
TEST(Repeats, AreMergedWhereTheAnswerIsKnown) {
  for (const char *properties : {"max-in-flight=1", "max-in-flight=8", "context=0 max-waiting=1"}) {
    GatewayServer gateway;
    TemporaryFolder store;
    gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(20), .between = {}});
    Harness harness(
        gateway,
        "cache=read-write store=" + store.path() + " merge-repeats=true interval=1000000000 " + properties,
        kTenGreys);
    push_scene(harness, 0, 30, 0);
    push_scene(harness, 30, 40, 255);
    push_scene(harness, 40, 60, 0);
    const std::string black = "1 still of 4x4. It is black.", white = "1 still of 4x4. It is white.";
    EXPECT_EQ(harness.finish(), Cues({{0, 3000, black}, {3000, 4000, white}, {4000, 6000, black}}))
        << properties;
    EXPECT_EQ(harness.stat("requests"), 2u) << properties;
  }
}

// Whoever runs again gets the same cues.
TEST(Repeats, AreNotWhatTheStoreHasForTwoQuestions) {
  GatewayServer gateway;
  TemporaryFolder store;
  for (const unsigned requests : {2u, 0u}) {
    Harness harness(gateway, "cache=read-write merge-repeats=true interval=1000000000 store=" + store.path(),
                    kTenGreys);
    push_scene(harness, 0, 10, 0);
    push_scene(harness, 10, 20, 20);
    const std::string black = "1 still of 4x4. It is black.";
    EXPECT_EQ(harness.finish(), Cues({{0, 1000, black}, {1000, 2000, black}}));
    EXPECT_EQ(harness.stat("requests"), requests);
  }
}

TEST(Repeats, DoNotJoinOverAGap) {
  GatewayServer gateway;
  Harness harness(gateway, "scene-threshold=0.1 merge-repeats=true interval=1000000000", kTenGreys);
  push_scene(harness, 0, 10, 0);
  push_scene(harness, 30, 40, 0);
  EXPECT_EQ(times(harness.finish()), Times({{0, 1000}, {3000, 4000}}));
}

// The queue beside gencaption has its default size, one second: the picture waits for a caption that needs
// later pictures. It goes on all the same, and nothing is lost or asked about twice.
std::string overlay(unsigned seconds, const std::string &properties,
                    const std::string &pictures = "name=src") {
  return "videotestsrc " + pictures + " num-buffers=" + std::to_string(10 * seconds) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! tee name=t  t. ! queue ! textoverlay "
         "name=o ! fakesink name=sink sync=false  t. ! queue ! gencaption name=cap " +
         properties + " ! tee name=c  c. ! queue ! o.text_sink  c. ! queue ! appsink name=out sync=false";
}

TEST(ShortQueues, ShowCaptionsUntilCutsInParts) {
  GatewayServer gateway;
  CaptionRun run(gateway, overlay(9, "align=cuts interval=3000000000", "pattern=red"));
  const FrameCount frames(run);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(frames.count(), 90u);
  const Cues cues = run.cues();
  ASSERT_GT(cues.size(), 3u);
  EXPECT_EQ(cues.front().start, 0u);
  EXPECT_EQ(cues.back().end, 9000u);
  for (size_t i = 1; i < cues.size(); ++i) EXPECT_EQ(cues[i].start, cues[i - 1].end) << cues[i];
  for (const Cue &cue : cues) EXPECT_EQ(cue.text, caption_at(0)) << cue;
  EXPECT_EQ(gateway.gateway().calls(), 3u);
}

TEST(ShortQueues, EndPartsAtACut) {
  GatewayServer gateway;
  CaptionRun run(gateway, overlay(9, "align=cuts min-interval=2500000000"));
  const FrameCount frames(run);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(frames.count(), 90u);
  const Cues cues = run.cues();
  for (size_t i = 1; i < cues.size(); ++i) EXPECT_EQ(cues[i].start, cues[i - 1].end) << cues[i];
  for (const Cue &cue : cues) EXPECT_EQ(cue.text, caption_at(cue.start / 3000 * 3)) << cue;
  EXPECT_EQ(gateway.gateway().calls(), 3u);
}

TEST(ShortQueues, AskWithTheStillsThatWereSeen) {
  GatewayServer gateway;
  CaptionRun run(gateway, overlay(6, "stills=within interval=3000000000"));
  const FrameCount frames(run);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(frames.count(), 60u);
  EXPECT_EQ(times(run.cues()), Times({{0, 3000}, {3000, 6000}}));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("two intervals")));
}

TEST(ShortQueues, ShowWhatIsRepeated) {
  GatewayServer gateway;
  CaptionRun run(gateway, overlay(6, "interval=2000000000 merge-repeats=true scene-threshold=1"));
  const FrameCount frames(run);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(frames.count(), 60u);
  for (const Cue &cue : run.cues()) EXPECT_EQ(cue.text, caption_at(0));
  EXPECT_EQ(run.cues().back().end, 6000u);
}

TEST(ShortQueues, GoOnWithoutCaptionsWhereAnswersFail) {
  for (const char *properties : {"align=cuts", "stills=within", "align=cuts stills=within"}) {
    GatewayServer gateway;
    gateway.fault(sim::GatewayFaultKind::status, 0, 400);
    CaptionRun run(gateway, overlay(9, std::string("on-error=skip scene-threshold=0.9 ") + properties));
    const FrameCount frames(run);
    EXPECT_EQ(run.play(), "") << properties;
    EXPECT_EQ(frames.count(), 90u) << properties;
  }
}

TEST(LookAhead, APauseIsNoReasonToAskEarly) {
  GatewayServer gateway;
  Harness harness(gateway, "stills=within", kTenGreys);
  push_scene(harness, 0, 12, 0);
  gst_element_set_state(harness.element(), GST_STATE_PAUSED);
  g_usleep(1500000);
  EXPECT_EQ(gateway.gateway().calls(), 0u);
  gst_element_set_state(harness.element(), GST_STATE_PLAYING);
  push_scene(harness, 12, 50, 255);
  EXPECT_EQ(harness.finish(), Cues({{0, 5000, "1 still of 4x4. It is white."}}));
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

}  // namespace
}  // namespace genclip::test
