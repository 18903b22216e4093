// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Images and texts: one answer for each, on their own time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/caption_harness.h"
#include "tests/captioner/harness.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Text, IsRewrittenOnItsOwnTime) {
  GatewayServer gateway;
  Harness harness(gateway, "prompt=\"Say it loud.\"", kUtf8);
  EXPECT_EQ(harness.push("Guten Tag.", 500 * GST_MSECOND, 1500 * GST_MSECOND), GST_FLOW_OK);
  EXPECT_EQ(harness.push("Wie\ngeht's?", 3000 * GST_MSECOND, 1000 * GST_MSECOND), GST_FLOW_OK);
  EXPECT_EQ(harness.finish(), Cues({{500, 2000, "GUTEN TAG."}, {3000, 4000, "WIE\nGEHT'S?"}}));
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  EXPECT_THAT(gateway.bodies().at(0).to_text(), HasSubstr("Say it loud."));
}

TEST(Text, KeepsItsTimingWhenItIsStreamed) {
  GatewayServer gateway;
  Harness harness(gateway, "stream=true", kUtf8);
  harness.push("One. Two. Three.", 0, 5 * GST_SECOND);
  EXPECT_EQ(harness.finish(), Cues({{0, 5000, "ONE. TWO. THREE."}}));
}

TEST(Text, LosesItsMarkupBeforeItIsAsked) {
  GatewayServer gateway;
  Harness harness(gateway, "", "text/x-raw,format=pango-markup");
  harness.push("<i>Rock</i> &amp; Roll", 0, GST_SECOND);
  EXPECT_EQ(harness.finish(), Cues({{0, 1000, "ROCK & ROLL"}}));
}

TEST(Text, ThatSaysNothingIsNotAsked) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push(" \n ", 0, GST_SECOND);
  harness.push("", GST_SECOND, GST_SECOND);
  harness.push("Da.", 2 * GST_SECOND, GST_SECOND);
  EXPECT_EQ(harness.finish(), Cues({{2000, 3000, "DA."}}));
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

TEST(Text, ThatSaysNothingTakesNoTimeOfTheTextsBehindIt) {
  for (const bool has_durations : {false, true}) {
    GatewayServer gateway;
    Harness harness(gateway, "", kUtf8);
    const auto push = [&](const char *text, unsigned start, unsigned end) {
      harness.push(text, start * GST_SECOND,
                   has_durations ? (end - start) * GST_SECOND : GST_CLOCK_TIME_NONE);
    };
    push("Eins.", 0, 1);
    push("", 1, 6);
    push("Zwei.", 2, 4);
    push("Drei.", 4, 9);
    EXPECT_EQ(harness.finish(), Cues({{0, 1000, "EINS."}, {2000, 4000, "ZWEI."}, {4000, 9000, "DREI."}}));
  }
}

TEST(LiveTexts, ThatSayNothingTakeNoTimeOfTheTextsBehindThem) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "latency=1500", kUtf8, true);
  harness.push_segment(0);
  harness.push(" ", GST_SECOND, 5 * GST_SECOND);
  harness.push("Zwei.", 2 * GST_SECOND, 2 * GST_SECOND);
  EXPECT_THAT(only(harness.wait_for("caption"), "caption"),
              ElementsAre(CameOut{"caption", 2 * GST_SECOND, 4 * GST_SECOND, "ZWEI."}));
}

TEST(Text, WithoutADurationLastsUntilTheNext) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Eins.", 0, GST_CLOCK_TIME_NONE);
  harness.push("Zwei.", 1200 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  EXPECT_EQ(harness.finish(), Cues({{0, 1200, "EINS."}, {1200, 6200, "ZWEI."}}));
}

TEST(Text, WithoutADurationLastsUntilTheNextWhateverEventsAreBetween) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Eins.", 0, GST_CLOCK_TIME_NONE);
  GstTagList *tags = gst_tag_list_new(GST_TAG_TITLE, "Film", nullptr);
  gst_tag_list_set_scope(tags, GST_TAG_SCOPE_GLOBAL);
  gst_harness_push_event(harness.get(), gst_event_new_tag(tags));
  harness.push("Zwei.", 1200 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  EXPECT_EQ(harness.finish(), Cues({{0, 1200, "EINS."}, {1200, 6200, "ZWEI."}}));
}

// The last text of a SAMI file has no end: subparse gives it a duration up to GST_CLOCK_TIME_NONE.
TEST(Text, WithAnEndBeyondAllTimesHasNoDuration) {
  for (const uint64_t end :
       {GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE - 1, uint64_t{G_MAXINT64}, uint64_t{GST_SECOND / 2}}) {
    GatewayServer gateway;
    Harness harness(gateway, "", kUtf8);
    harness.push("Eins.", GST_SECOND, end - GST_SECOND);
    harness.push("Zwei.", 3 * GST_SECOND, end - 3 * GST_SECOND);
    EXPECT_EQ(harness.finish(), Cues({{1000, 3000, "EINS."}, {3000, 8000, "ZWEI."}})) << end;
  }
}

TEST(Images, WithAnEndBeyondAllTimesHaveNoDuration) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "appsrc name=in format=time caps=video/x-raw,format=RGB,width=2,height=2,framerate=0/1 ! "
                 "gencaption name=cap interval=2000000000 ! appsink name=out sync=false");
  const auto in = run.element("in");
  GstFlowReturn flow = GST_FLOW_OK;
  for (const uint64_t second : {0, 1, 2, 3}) {
    GstBuffer *buffer = gst_buffer_new_memdup(std::string(16, 'x').data(), 16);
    GST_BUFFER_PTS(buffer) = second * GST_SECOND;
    GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE - second * GST_SECOND - (second == 0 ? 0 : 1);
    g_signal_emit_by_name(in.get(), "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  g_signal_emit_by_name(in.get(), "end-of-stream", &flow);
  ASSERT_EQ(run.play(), "");
  const Cues cues = run.cues();
  ASSERT_THAT(cues, SizeIs(2));
  EXPECT_EQ(cues[0].end, 2000u);
  EXPECT_EQ(cues[1].end, 4000u);
}

TEST(Text, OfAnyBytesIsAnsweredInValidText) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push(std::string("a\0b\xFF\n\n\nc", 8), 0, GST_SECOND);
  const Cues cues = harness.finish();
  ASSERT_THAT(cues, SizeIs(1));
  EXPECT_EQ(cues[0].text, "AB\xEF\xBF\xBD\nC");
}

TEST(Text, GoesAloneWhereThePromptIsEmpty) {
  GatewayServer gateway;
  Harness harness(gateway, "prompt=\"\" system-instruction=\"Say it loud.\"", kUtf8);
  harness.push("Guten Tag.", 0, GST_SECOND);
  // The gateway refuses a part without text.
  EXPECT_EQ(harness.finish().size(), 1u);
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
}

// Texts that arrive in real time.
class LiveText {
 public:
  LiveText(const GatewayServer &gateway, const std::string &properties)
      : run(gateway,
            "appsrc name=in is-live=true format=time caps=text/x-raw,format=utf8 ! gencaption name=cap " +
                properties + " ! appsink name=out sync=false") {
    run.go(GST_STATE_PLAYING);
  }
  // Now, on the time of the stream.
  GstClockTime time() const {
    const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(run.pipeline()));
    return clock ? gst_clock_get_time(clock.get()) - gst_element_get_base_time(run.pipeline()) : 0;
  }
  void push(const std::string &text, GstClockTime pts, GstClockTime duration) {
    GstBuffer *buffer = gst_buffer_new_memdup(text.data(), text.size());
    GST_BUFFER_PTS(buffer) = pts;
    GST_BUFFER_DURATION(buffer) = duration;
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(run.element("in").get(), "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  void end() {
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(run.element("in").get(), "end-of-stream", &flow);
  }

  CaptionRun run;
};

TEST(LiveTexts, WithoutADurationAreAllSaidAndLastUntilTheNext) {
  GatewayServer gateway;
  LiveText live(gateway, "latency=60000");
  const GstClockTime begin = live.time() + GST_SECOND;
  live.push("Eins.", begin, GST_CLOCK_TIME_NONE);
  live.push("Zwei.", begin + 700 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  live.push("Drei.", begin + 1500 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  live.end();
  ASSERT_EQ(live.run.finish(), "");
  const uint64_t ms = begin / GST_MSECOND;
  EXPECT_EQ(live.run.cues(),
            Cues({{ms, ms + 700, "EINS."}, {ms + 700, ms + 1500, "ZWEI."}, {ms + 1500, ms + 6500, "DREI."}}));
  EXPECT_EQ(live.run.stat("late"), 0u);
}

TEST(LiveTexts, WithoutADurationEndWhenTheyHaveBeenReadWhereNoOtherComesByTheDeadline) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "latency=1500", kUtf8, true);
  harness.push_segment(0);
  harness.push("Eins.", 200 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  // The answer is there in time, however long it takes.
  ASSERT_TRUE(harness.wait_for_stat("output-tokens", 1));
  EXPECT_THAT(only(harness.so_far(), "caption"), IsEmpty());
  harness.set_time(1700 * GST_MSECOND);
  EXPECT_THAT(only(harness.wait_for("caption"), "caption"),
              ElementsAre(CameOut{"caption", 200 * GST_MSECOND, 1200 * GST_MSECOND, "EINS."}));
}

TEST(LiveTexts, ThatOverlapAreAllSaidAndNotLate) {
  GatewayServer gateway;
  LiveText live(gateway, "latency=60000");
  const GstClockTime begin = live.time() + GST_SECOND;
  live.push("Eins.", begin, 2 * GST_SECOND);
  live.push("Zwei.", begin, GST_CLOCK_TIME_NONE);
  live.push("Drei.", begin + GST_SECOND, GST_SECOND);
  live.end();
  ASSERT_EQ(live.run.finish(), "");
  std::string all;
  for (const Cue &cue : live.run.cues()) all += cue.text + "\n";
  EXPECT_EQ(all, "EINS.\nZWEI.\nDREI.\n");
  EXPECT_EQ(live.run.stat("late"), 0u);
  EXPECT_EQ(live.run.stat("skipped"), 0u);
}

TEST(Gaps, OfALengthBeyondAllTimesSayThatNothingComesBefore) {
  for (const uint64_t length : {GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE - GST_SECOND}) {
    GatewayServer gateway;
    CaptionHarness harness(gateway, "", kUtf8);
    harness.push_segment(0);
    harness.push_event(gst_event_new_gap(2 * GST_SECOND, length));
    harness.push("Zwei.", 3 * GST_SECOND, GST_SECOND);
    const auto out = harness.finish();
    EXPECT_THAT(only(out, "gap"), testing::Contains(CameOut{"gap", 0, 2 * GST_SECOND})) << length;
  }
}

TEST(Gaps, BetweenCaptionsLetDownstreamGoOn) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Da.", 2 * GST_SECOND, GST_SECOND);
  gst_harness_push_event(harness.get(), gst_event_new_gap(3 * GST_SECOND, 4 * GST_SECOND));
  gst_harness_push_event(harness.get(), gst_event_new_eos());
  // All time in order and only once: silence to 2 s, the caption, silence to 7 s.
  std::vector<std::string> order;
  GstClockTime position = 0;
  for (;;) {
    GstEvent *event = gst_harness_pull_event(harness.get());
    ASSERT_TRUE(event);
    order.push_back(GST_EVENT_TYPE_NAME(event));
    const bool end = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
    if (GST_EVENT_TYPE(event) == GST_EVENT_GAP) {
      GstClockTime start = 0, length = 0;
      gst_event_parse_gap(event, &start, &length);
      if (position == 2 * GST_SECOND) position = 3 * GST_SECOND;
      EXPECT_EQ(start, position);
      position = start + length;
      GstGapFlags flags = GstGapFlags(0);
      gst_event_parse_gap_flags(event, &flags);
      EXPECT_EQ(flags, GST_GAP_FLAG_MISSING_DATA) << "matroskamux 1.26 would write an empty subtitle";
    }
    gst_event_unref(event);
    if (end) break;
  }
  EXPECT_EQ(position, 7 * GST_SECOND);
  EXPECT_EQ(order[0], "stream-start");
  EXPECT_EQ(order[1], "caps");
  EXPECT_EQ(order[2], "segment");
  EXPECT_EQ(order[3], "gap");
}

TEST(Events, OfQualityAreDroppedAndSeeksGoUpstreamOnce) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Da.", 0, GST_SECOND);
  const guint before = gst_harness_upstream_events_received(harness.get());
  gst_harness_push_upstream_event(harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.0, 0, 0));
  EXPECT_EQ(gst_harness_upstream_events_received(harness.get()), before);
  GstEvent *seek = gst_event_new_seek(1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
                                      GST_SEEK_TYPE_NONE, 0);
  gst_harness_push_upstream_event(harness.get(), gst_event_ref(seek));
  gst_harness_push_upstream_event(harness.get(), gst_event_ref(seek));
  EXPECT_EQ(gst_harness_upstream_events_received(harness.get()), before + 1);
  gst_event_unref(seek);
  gst_harness_push_upstream_event(
      harness.get(), gst_event_new_seek(1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
                                        GST_SEEK_TYPE_NONE, 0));
  EXPECT_EQ(gst_harness_upstream_events_received(harness.get()), before + 2);
}

TEST(Events, ASegmentThatIsSaidAgainIsNoNewBeginning) {
  GatewayServer gateway;
  Harness harness(gateway, "", "video/x-raw,format=RGB,width=4,height=4,framerate=1/1");
  const std::string picture(48, '\0');
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  for (const GstClockTime second : {0, 1, 2, 5, 6}) {
    gst_harness_push_event(harness.get(), gst_event_new_segment(&segment));
    ASSERT_EQ(harness.push(picture, second * GST_SECOND, GST_SECOND), GST_FLOW_OK);
    segment.stop = (20 + second) * GST_SECOND;
  }
  const std::string said = "1 still of 4x4. It is black.";
  EXPECT_EQ(harness.finish(), Cues({{0, 5000, said}, {5000, 10000, said}}));
  EXPECT_EQ(gateway.gateway().calls(), 2u) << "no window is paid for twice";
}

// A flush during a start can leave this state. The tests end at a CRITICAL.
TEST(Events, DataWithoutASegmentAreTakenAsTheyAre) {
  const std::pair<const char *, std::string> kInputs[] = {
      {"video/x-raw,format=RGB,width=4,height=4,framerate=1/1", std::string(48, '\0')}, {kUtf8, "Da."}};
  for (const auto &[caps_text, bytes] : kInputs) {
    GatewayServer gateway;
    CaptionRun run(gateway, "gencaption name=cap ! appsink name=out sync=false async=false");
    const auto sink = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), "sink"));
    const auto pad =
        GRef<GstPad>::adopt(static_cast<GstPad *>(gst_object_ref_sink(gst_pad_new("loose", GST_PAD_SRC))));
    ASSERT_EQ(gst_pad_link_full(pad.get(), sink.get(), GST_PAD_LINK_CHECK_NOTHING), GST_PAD_LINK_OK);
    gst_pad_set_active(pad.get(), TRUE);
    run.go(GST_STATE_PLAYING);
    const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string(caps_text));
    gst_pad_push_event(pad.get(), gst_event_new_stream_start("loose"));
    gst_pad_push_event(pad.get(), gst_event_new_caps(caps.get()));
    GstBuffer *buffer = gst_buffer_new_memdup(bytes.data(), bytes.size());
    GST_BUFFER_PTS(buffer) = GST_SECOND;
    GST_BUFFER_DURATION(buffer) = GST_SECOND;
    EXPECT_EQ(gst_pad_push(pad.get(), buffer), GST_FLOW_OK) << caps_text;
    gst_pad_push_event(pad.get(), gst_event_new_eos());
    ASSERT_EQ(run.finish(), "") << caps_text;
    EXPECT_THAT(run.cues(), SizeIs(1)) << caps_text;
    gst_pad_set_active(pad.get(), FALSE);
    gst_pad_unlink(pad.get(), sink.get());
  }
}

TEST(Events, AStreamMayFollowAStream) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Eins.", 0, GST_SECOND);
  EXPECT_EQ(harness.finish(), Cues({{0, 1000, "EINS."}}));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_stream_start("second")));
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_segment(&segment)));
  EXPECT_EQ(harness.push("Zwei.", GST_SECOND, GST_SECOND), GST_FLOW_OK);
  EXPECT_EQ(harness.finish(), Cues({{1000, 2000, "ZWEI."}}));
}

// Subtitle encoders write timestamps as they come; muxers and sinks use the running time.
TEST(Segments, DownstreamHaveTheTimesOfTheFilmAndTheSameRunningTimes) {
  struct Case {
    const char *what;
    uint64_t start, stop, time, base;
    uint64_t caption_at;  // in s
  };
  const Case cases[] = {
      {"an empty edit of 2 s", 0, GST_CLOCK_TIME_NONE, 2 * GST_SECOND, 2 * GST_SECOND, 3},
      {"an empty edit of a film of 8 s", 0, 8 * GST_SECOND, 2 * GST_SECOND, 2 * GST_SECOND, 3},
      {"a part that is cut away", 5 * GST_SECOND, 9 * GST_SECOND, 0, 0, 1},
      {"a clip in a timeline, behind another one", 5 * GST_SECOND, 9 * GST_SECOND, 20 * GST_SECOND,
       7 * GST_SECOND, 21},
      {"no time in the film", 5 * GST_SECOND, 9 * GST_SECOND, GST_CLOCK_TIME_NONE, 0, 6},
  };
  for (const Case &one : cases) {
    GatewayServer gateway;
    CaptionHarness harness(gateway, "", kUtf8);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = segment.position = one.start;
    segment.stop = one.stop;
    segment.time = one.time;
    segment.base = one.base;
    harness.push_event(gst_event_new_segment(&segment));
    const uint64_t came = one.start + GST_SECOND;
    harness.push("Da.", came, GST_SECOND);
    harness.push_event(gst_event_new_gap(came + GST_SECOND, GST_SECOND));
    const auto out = harness.finish();
    const uint64_t at = one.caption_at * GST_SECOND;
    EXPECT_THAT(only(out, "caption"), ElementsAre(CameOut{"caption", at, at + GST_SECOND, "DA."}))
        << one.what;
    const CameOut silence{"gap", at + GST_SECOND, at + 2 * GST_SECOND};
    EXPECT_THAT(only(out, "gap"), testing::Contains(silence)) << one.what;
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(harness.get()->element, "src"));
    const auto sent = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(pad.get(), GST_EVENT_SEGMENT, 0));
    const GstSegment *own = nullptr;
    gst_event_parse_segment(sent.get(), &own);
    EXPECT_EQ(gst_segment_to_running_time(own, GST_FORMAT_TIME, at),
              gst_segment_to_running_time(&segment, GST_FORMAT_TIME, came))
        << one.what;
    EXPECT_EQ(gst_segment_to_stream_time(own, GST_FORMAT_TIME, at),
              gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, came))
        << one.what;
  }
}

// Silence and pictures are both placed in the segment for downstream.
TEST(Segments, WhoseTimeIsNotTheirStartLeaveAPictureTheTimeThatUpstreamTookForSilence) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, "", "video/x-raw,format=RGB,width=4,height=4,framerate=1/1");
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.time = 10 * GST_SECOND;
  harness.push_event(gst_event_new_segment(&segment));
  harness.push_event(gst_event_new_gap(0, 5 * GST_SECOND));
  ASSERT_EQ(harness.push(std::string(48, '\0'), 2 * GST_SECOND, GST_SECOND), GST_FLOW_OK);
  const auto out = harness.finish();
  EXPECT_THAT(only(out, "caption"), ElementsAre(CameOut{"caption", 12 * GST_SECOND, 15 * GST_SECOND,
                                                        "1 still of 4x4. It is black."}));
}

TEST(Events, AFlushForgetsWhatWaitsAndTheStreamGoesOn) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::hang, 1);
  Harness harness(gateway, "max-in-flight=1", kUtf8);
  harness.push("Nie.", 0, GST_SECOND);
  while (gateway.gateway().valid_calls() == 0) g_thread_yield();
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.position = segment.time = 10 * GST_SECOND;
  gst_harness_push_event(harness.get(), gst_event_new_segment(&segment));
  EXPECT_EQ(harness.push("Doch.", 10 * GST_SECOND, GST_SECOND), GST_FLOW_OK);
  EXPECT_EQ(harness.finish(), Cues({{10000, 11000, "DOCH."}}));
}

TEST(Images, GetOneCaptionEach) {
  GatewayServer gateway;
  for (const char *encoder : {"jpegenc", "pngenc"}) {
    CaptionRun run(gateway, std::string("videotestsrc name=src num-buffers=3 ! "
                                        "video/x-raw,format=RGB,width=64,height=36,framerate=1/2 ! ") +
                                encoder +
                                " ! gencaption name=cap interval=2000000000 ! appsink name=out sync=false");
    ASSERT_EQ(run.play(), "") << encoder;
    EXPECT_EQ(run.cues(),
              Cues({{0, 2000, caption_at(0)}, {2000, 4000, caption_at(2)}, {4000, 6000, caption_at(4)}}))
        << encoder;
  }
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
}

TEST(Images, ThatCannotBeReadAreAnError) {
  for (const char *caps : {"image/png", "image/jpeg", "image/jpeg,width=64,height=64"}) {
    GatewayServer gateway;
    CaptionRun run(gateway, std::string("appsrc name=in format=time caps=") + caps +
                                " ! gencaption name=cap ! appsink name=out sync=false");
    const auto in = run.element("in");
    GstBuffer *buffer = gst_buffer_new_memdup("no picture", 10);
    GST_BUFFER_PTS(buffer) = 0;
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(in.get(), "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
    g_signal_emit_by_name(in.get(), "end-of-stream", &flow);
    EXPECT_THAT(run.play(), HasSubstr("A picture cannot be sent")) << caps;
    EXPECT_EQ(gateway.gateway().calls(), 0u) << caps;
  }
}

}  // namespace
}  // namespace genclip::test
