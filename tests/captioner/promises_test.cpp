// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Announcements of time without captions: enough for downstream to continue, and all of them true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/caption_harness.h"
#include "tests/captioner/frame_count.h"

namespace genclip::test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kS = GST_SECOND;
constexpr char kTexts[] = "text/x-raw,format=utf8";
constexpr char kPictures[] = "video/x-raw,format=RGB,width=4,height=4,framerate=0/1";
const std::string kPicture(48, '\0');
// Long enough for a source task to send pending output many times.
constexpr unsigned kWhile = 200000;

CameOut gap(uint64_t start, uint64_t end) { return {"gap", start, end}; }
CameOut caption(uint64_t start, uint64_t end, const std::string &text) {
  return {"caption", start, end, text};
}

TEST(Promises, TheFirstComesWithTheSegmentBeforeAnyData) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTexts);
  EXPECT_THAT(harness.wait_for("gap"),
              ElementsAre(CameOut{"stream-start"}, CameOut{"caps"}, CameOut{"segment"}, gap(0, 0)));
  harness.flush();
  harness.push_segment(7 * kS);
  EXPECT_EQ(harness.wait_for("gap", 2).back(), gap(7 * kS, 7 * kS));
}

// GstAggregator drops a GAP at the stop, and the muxer waits for it forever.
TEST(Promises, LieInsideTheSegmentAtItsKnownStop) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTexts);
  harness.push_segment(0, 18 * kS);
  harness.push("Eins.", 10 * kS, 5 * kS);
  harness.push("Zwei.", 15 * kS, 5 * kS);
  harness.push_event(gst_event_new_gap(18 * kS, 2 * kS));
  const auto all = harness.finish();
  EXPECT_THAT(only(all, "caption"),
              ElementsAre(caption(10 * kS, 15 * kS, "EINS."), caption(15 * kS, 18 * kS, "ZWEI.")));
  for (const CameOut &one : only(all, "gap")) EXPECT_LT(one.end, 18 * kS) << one;
  EXPECT_THAT(all, Contains(gap(18 * kS - 1, 18 * kS - 1))) << "all before the stop is free";
}

TEST(Promises, OfSilenceEndANanosecondBeforeTheStop) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::status, 0, 400);
  CaptionHarness harness(gateway, "on-error=skip", kTexts);
  harness.push_segment(0, 5 * kS);
  harness.push("Nie.", 0, 5 * kS);
  EXPECT_THAT(only(harness.finish(), "gap"), Contains(gap(0, 5 * kS - 1)));
}

TEST(Promises, FollowASegmentThatEndsElsewhere) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTexts);
  harness.push("Eins.", 0, kS);
  harness.push_segment(0, 5 * kS);
  harness.push_event(gst_event_new_gap(kS, 9 * kS));
  const auto all = harness.finish();
  EXPECT_THAT(all, Contains(gap(kS, 5 * kS - 1)));
  for (const CameOut &one : only(all, "gap")) EXPECT_LT(one.end, 5 * kS) << one;
}

TEST(Promises, OfNoOrUnknownLengthGoOn) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTexts);
  harness.push_event(gst_event_new_gap(kS, GST_CLOCK_TIME_NONE));
  EXPECT_THAT(only(harness.wait_for("gap", 2), "gap"), ElementsAre(gap(0, 0), gap(0, kS)));
  harness.push_event(gst_event_new_gap(kS, 0));
  EXPECT_EQ(only(harness.wait_for("gap", 3), "gap").at(2), gap(kS, kS));
  harness.push_event(gst_event_new_gap(3 * kS, 0));
  EXPECT_EQ(only(harness.wait_for("gap", 4), "gap").at(3), gap(kS, 3 * kS));
  harness.push("Da.", 3 * kS, kS);
  EXPECT_THAT(only(harness.finish(), "caption"), ElementsAre(caption(3 * kS, 4 * kS, "DA.")));
}

TEST(Promises, OfNoOrUnknownLengthKeepAnOverlayGoing) {
  GatewayServer gateway;
  CaptionRun run(
      gateway,
      "videotestsrc num-buffers=40 ! video/x-raw,width=32,height=18,framerate=10/1 ! textoverlay name=o ! "
      "fakesink name=sink sync=false async=false  appsrc name=in format=time "
      "caps=text/x-raw,format=utf8 ! gencaption name=cap ! o.text_sink");
  const FrameCount frames(run);
  const auto in = run.element("in");
  GstBuffer *text = gst_buffer_new_memdup("hello", 5);
  GST_BUFFER_PTS(text) = 0;
  GST_BUFFER_DURATION(text) = kS;
  GstFlowReturn flow = GST_FLOW_OK;
  run.go(GST_STATE_PLAYING);
  g_signal_emit_by_name(in.get(), "push-buffer", text, &flow);
  gst_buffer_unref(text);
  for (const uint64_t second : {2, 3, 4})
    ASSERT_TRUE(gst_element_send_event(in.get(),
                                       gst_event_new_gap(second * kS, second % 2 ? 0 : GST_CLOCK_TIME_NONE)));
  EXPECT_TRUE(frames.wait_for(40)) << frames.count() << " frames";
}

TEST(Promises, EndATextWithoutADuration) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", kTexts);
  harness.push("Eins.", 0, GST_CLOCK_TIME_NONE);
  harness.push_event(gst_event_new_gap(2 * kS, GST_CLOCK_TIME_NONE));
  EXPECT_EQ(only(harness.wait_for("caption"), "caption").at(0), caption(0, 2 * kS, "EINS."));
}

// Upstream says that its material ends at 17 s.
void tell_of_its_end(CaptionHarness &harness) {
  gst_pad_add_probe(
      harness.get()->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer) {
        GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
        if (GST_QUERY_TYPE(query) != GST_QUERY_DURATION) return GST_PAD_PROBE_OK;
        gst_query_set_duration(query, GST_FORMAT_TIME, 17 * GST_SECOND);
        return GST_PAD_PROBE_HANDLED;
      },
      nullptr, nullptr);
  harness.push_segment(2 * kS);  // a segment that is said again would begin nothing anew
}

// Since GStreamer 1.26, matroskamux tells of a film that lasts as long as the silence.
TEST(Promises, OfTheLastWindowOfKnownMaterialEndWithIt) {
  for (const char *properties : {"", "align=cuts"}) {
    GatewayServer gateway;
    CaptionHarness harness(gateway, properties, kPictures);
    tell_of_its_end(harness);
    harness.push(kPicture, 15 * kS, kS);
    const auto all = harness.finish();
    const std::string said = "1 still of 4x4. It is black.";
    EXPECT_THAT(only(all, "caption"), ElementsAre(caption(15 * kS, 17 * kS, said))) << properties;
    for (const CameOut &one : only(all, "gap")) EXPECT_LE(one.end, 17 * kS) << properties << one;
  }
}

TEST(Promises, BehindTheKnownEndOfTheMaterialComeWithItsPictures) {
  for (const char *properties : {"", "align=cuts"}) {
    GatewayServer gateway;
    CaptionHarness harness(gateway, properties, kPictures);
    tell_of_its_end(harness);
    harness.push(kPicture, 15 * kS, kS);
    harness.push(kPicture, 17500 * GST_MSECOND, kS);
    harness.push(kPicture, 19 * kS, 3 * kS);
    const auto all = harness.finish();
    EXPECT_THAT(only(all, "caption"), ElementsAre(caption(15 * kS, 17 * kS, "1 still of 4x4. It is black.")))
        << properties;
    EXPECT_THAT(all, Contains(gap(17 * kS, 18500 * GST_MSECOND))) << properties;
    EXPECT_THAT(all, Contains(gap(18500 * GST_MSECOND, 20 * kS))) << properties;
  }
}

TEST(Pictures, AreCaptionedForAsLongAsTheyLast) {
  GatewayServer gateway;
  const std::string said = "1 still of 4x4. It is black.";
  CaptionHarness slides(gateway, "", kPictures);
  slides.push(kPicture, 0, 32 * kS);
  slides.push(kPicture, 32 * kS, 2 * kS);
  slides.push(kPicture, 35 * kS, 2 * kS);
  EXPECT_THAT(only(slides.finish(), "caption"),
              ElementsAre(caption(0, 32 * kS, said), caption(32 * kS, 35 * kS, said),
                          caption(35 * kS, 40 * kS, said)));
}

TEST(Pictures, OfALowRateAreCaptionedForAsLongAsTheyLast) {
  GatewayServer gateway;
  CaptionHarness slides(gateway, "", "video/x-raw,format=RGB,width=4,height=4,framerate=1/30");
  slides.push_segment(0, 50 * kS);
  slides.push(kPicture, 0, GST_CLOCK_TIME_NONE);
  slides.push(kPicture, 30 * kS, GST_CLOCK_TIME_NONE);
  const auto captions = only(slides.finish(), "caption");
  ASSERT_EQ(captions.size(), 2u);
  EXPECT_EQ(captions[0].end, 30 * kS);
  EXPECT_EQ(captions[1].end, 50 * kS) << "to the stop";
}

TEST(LivePromises, AreMadeATwentiethOfASecondBeforeTheirTimeAndForATenth) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "latency=1000", kTexts, true);
  harness.push("Da.", 0, kS);
  const size_t before = only(harness.wait_for("gap", 2), "gap").size();
  harness.set_time(11 * kS);
  EXPECT_EQ(only(harness.wait_for("gap", before + 1), "gap").back(), gap(kS, 10150 * GST_MSECOND));
  harness.set_time(11120 * GST_MSECOND);
  EXPECT_EQ(only(harness.wait_for("gap", before + 2), "gap").back(),
            gap(10150 * GST_MSECOND, 10270 * GST_MSECOND));
}

TEST(LivePromises, OfATimelineEndWithAFlush) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "latency=0", kTexts, true);
  harness.push("Da.", 0, kS);
  harness.set_time(10 * kS);
  harness.wait_for("gap", 2);
  harness.flush();
  const size_t before = harness.so_far().size();
  harness.set_time(12 * kS);
  g_usleep(kWhile);
  EXPECT_EQ(harness.so_far().size(), before) << testing::PrintToString(harness.so_far());
  harness.push_segment(60 * kS);
  const auto all = harness.wait_for("segment", 2);
  EXPECT_EQ(all.at(before), CameOut{"segment"});
  const std::vector<CameOut> later(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
  for (const CameOut &one : only(later, "gap")) EXPECT_GE(one.start, 60 * kS) << one;
}

TEST(LivePromises, OfATimelineEndWithItsStream) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "latency=0", kTexts, true);
  harness.push("Da.", 0, kS);
  harness.set_time(10 * kS);
  harness.wait_for("gap", 2);
  harness.finish();
  harness.push_event(gst_event_new_stream_start("second"));
  const size_t before = harness.wait_for("caps", 2).size();
  harness.set_time(12 * kS);
  g_usleep(kWhile);
  EXPECT_EQ(harness.so_far().size(), before) << testing::PrintToString(harness.so_far());
  harness.push_segment(60 * kS);
  EXPECT_EQ(harness.wait_for("segment", 2).at(before), CameOut{"segment"});
}

TEST(LivePromises, ThatComeInSmallPiecesGoOnInTenths) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "latency=60000", kTexts, true);
  harness.push(" ", 0, kS);
  const size_t before = only(harness.wait_for("gap", 2), "gap").size();
  for (uint64_t at = 0; at < 100; ++at)
    harness.push_event(gst_event_new_gap(kS + at * 10 * GST_MSECOND, at % 2 ? 0 : 10 * GST_MSECOND));
  const auto gaps = only(harness.finish(), "gap");
  EXPECT_GT(gaps.size(), before) << "they go on";
  EXPECT_LE(gaps.size(), before + 20) << "a GAP and where it ends, ten times at most";
  EXPECT_GE(gaps.back().end, 1900 * GST_MSECOND);
}

// Frames of a film as fast as possible, while the first answer never comes.
unsigned asked_behind_a_slow_answer(const std::string &properties, unsigned wanted) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::hang, 1);
  CaptionRun run(
      gateway,
      "videotestsrc name=src num-buffers=60 ! video/x-raw,format=RGB,width=64,height=36,framerate=1/1 ! "
      "gencaption name=cap interval=1000000000 " +
          properties + " ! appsink name=out sync=false");
  run.go(GST_STATE_PLAYING);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (gateway.gateway().valid_calls() < wanted && std::chrono::steady_clock::now() < end) g_usleep(1000);
  g_usleep(kWhile);
  run.go(GST_STATE_NULL);
  return gateway.gateway().valid_calls();
}

// Either of two concurrent requests may be the slow one: one caption may leave before it.
TEST(MaxWaiting, LetsOthersBeAskedWhileAnAnswerIsSlow) {
  EXPECT_THAT(asked_behind_a_slow_answer("max-in-flight=2", 10), AnyOf(10u, 11u)) << "2 and 4 x 2";
  EXPECT_THAT(asked_behind_a_slow_answer("max-in-flight=2 max-waiting=3", 5), AnyOf(5u, 6u));
  EXPECT_EQ(asked_behind_a_slow_answer("max-in-flight=1 max-waiting=9", 1), 1u) << "one at a time";
}

TEST(Context, HasAllEarlierCaptionsHoweverManyMayBeInFlight) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(40), .between = {}});
  CaptionHarness harness(gateway, "context=2 max-in-flight=4", kTexts);
  const char *const words[] = {"Eins.", "Zwei.", "Drei.", "Vier."};
  for (uint64_t i = 0; i < 4; ++i) harness.push(words[i], i * kS, kS);
  harness.finish();
  const auto bodies = gateway.bodies();
  ASSERT_EQ(bodies.size(), 4u);
  EXPECT_THAT(bodies[1].to_text(), HasSubstr("- EINS."));
  EXPECT_THAT(bodies[2].to_text(), HasSubstr("- EINS.\\n- ZWEI."));
  EXPECT_THAT(bodies[3].to_text(), testing::AllOf(HasSubstr("- ZWEI.\\n- DREI."), Not(HasSubstr("EINS."))));
}

TEST(Context, ForgetsWhatWasSaidBeforeASeek) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "context=3 max-in-flight=4", kTexts);
  harness.push("Eins.", 0, kS);
  harness.push("Zwei.", kS, kS);
  harness.wait_for("caption", 2);
  harness.flush();
  harness.push_segment(20 * kS);
  harness.push("Drei.", 20 * kS, kS);
  harness.push("Vier.", 21 * kS, kS);
  harness.finish();
  const auto bodies = gateway.bodies();
  ASSERT_EQ(bodies.size(), 4u);
  EXPECT_THAT(bodies[2].to_text(), testing::AllOf(Not(HasSubstr("EINS.")), Not(HasSubstr("ZWEI."))));
  EXPECT_THAT(bodies[3].to_text(), testing::AllOf(Not(HasSubstr("ZWEI.")), HasSubstr("- DREI.")));
}

}  // namespace
}  // namespace genclip::test
