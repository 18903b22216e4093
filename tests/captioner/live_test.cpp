// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Live pictures: they keep their rate whatever the gateway does, and late captions follow the policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <optional>

#include "tests/captioner/frame_count.h"
#include "tests/support/sanitized.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using sim::GatewayFaultKind;
using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kCamera =
    "videotestsrc name=src is-live=true ! video/x-raw,format=RGB,width=64,height=36,framerate=30/1 ! ";

std::string captioned(const std::string &properties, unsigned interval_ms = 500) {
  return kCamera + "gencaption name=cap interval=" + std::to_string(interval_ms) + "000000 " + properties +
         " ! appsink name=out sync=false";
}

void answer_after(GatewayServer &gateway, milliseconds time) {
  gateway.gateway().set_pace({.chunk = 0, .before = time, .between = {}});
}

std::string overlaid(const std::string &properties) {
  return kCamera +
         "tee name=t  t. ! queue max-size-time=3000000000 max-size-buffers=0 ! textoverlay name=o ! "
         "fakesink name=sink sync=true  t. ! queue ! gencaption name=cap interval=500000000 latency=500 " +
         properties + " ! o.text_sink";
}

bool comes(const auto &condition) {
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (!condition() && std::chrono::steady_clock::now() < end) g_usleep(1000);
  return condition();
}

// In milliseconds.
unsigned observed_latency(CaptionRun &run) {
  unsigned value = 0;
  g_object_get(run.element("cap").get(), "max-observed-latency", &value, nullptr);
  return value;
}

struct Trouble {
  const char *name;
  GatewayFaultKind kind;
  milliseconds before;
};
const Trouble kTroubles[] = {
    {"GatewayTakesTenSeconds", GatewayFaultKind::none, std::chrono::seconds(10)},
    {"GatewayHangs", GatewayFaultKind::hang, milliseconds(0)},
    {"GatewayFails", GatewayFaultKind::status, milliseconds(0)},
    {"GatewayBlocks", GatewayFaultKind::blocked, milliseconds(0)},
};

class LiveTrouble : public testing::TestWithParam<Trouble> {};
INSTANTIATE_TEST_SUITE_P(Live, LiveTrouble, testing::ValuesIn(kTroubles),
                         [](const auto &trouble) { return trouble.param.name; });

TEST_P(LiveTrouble, LeavesTheFrameRateAsItIs) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = GetParam().before, .between = {}});
  if (GetParam().kind != GatewayFaultKind::none) gateway.fault(GetParam().kind, 0, 503, "SAFETY");
  CaptionRun run(gateway, overlaid("on-error=skip"));
  const FrameCount frames(run);
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(frames.wait_for(1));
  const auto begin = std::chrono::steady_clock::now();
  const unsigned first = frames.count();
  ASSERT_TRUE(frames.wait_for(first + 60));
  const auto took = std::chrono::steady_clock::now() - begin;
  // A busy machine shows at once what it was late with.
  if (measures_time()) {
    EXPECT_GE(took, milliseconds(1000)) << "live";
  }
  EXPECT_LE(took, time_limit(milliseconds(2600)));
  EXPECT_LE(run.time_to_null_at_best(milliseconds(250)), time_limit(milliseconds(250)));
  EXPECT_EQ(run.stat("captions"), 0u);
}

TEST(Live, HasItsCaptionsInTheirWindowsWhenTheyComeInTime) {
  GatewayServer gateway;
  answer_after(gateway, milliseconds(100));
  CaptionRun run(gateway, captioned("latency=60000"));
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(4));
  EXPECT_EQ(run.stat("late"), 0u);
  EXPECT_GE(observed_latency(run), 100u);
  EXPECT_LT(observed_latency(run), 60000u);
  EXPECT_THAT(run.warnings(), IsEmpty());
  const Cues cues = run.cues();
  for (size_t i = 1; i < cues.size(); ++i) {
    EXPECT_EQ(cues[i].start % 500, 0u) << cues[i];
    EXPECT_EQ(cues[i].end, cues[i].start + 500) << cues[i];
    EXPECT_EQ(cues[i].text, caption_at(cues[i].start / 1000)) << cues[i];
  }
}

TEST(Live, HasSentencesOfAStreamInTheirWindowsAndInOrder) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = milliseconds(20), .between = milliseconds(40)});
  CaptionRun run(gateway, captioned("latency=60000 stream=true", 3000));
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(4));
  EXPECT_EQ(run.stat("late"), 0u);
  const Cues cues = run.cues();
  // The message of the fourth comes before its buffer.
  ASSERT_GE(cues.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cues[i].text,
              i % 2 ? "It is " + colour_at(cues[i].start / 3000 * 3) + "." : "1 still of 64x36.");
    EXPECT_EQ(cues[i].end % 3000 == 0, i % 2 == 1) << cues[i];
    if (i > 0) {
      EXPECT_EQ(cues[i].start, cues[i - 1].end) << cues[i];
    }
  }
}

TEST(Live, DropsWhatIsLateAndSaysHowMuch) {
  GatewayServer gateway;
  answer_after(gateway, milliseconds(700));
  CaptionRun run(gateway, captioned("latency=100 late-policy=drop"));
  run.go(GST_STATE_PLAYING);
  EXPECT_TRUE(comes([&] { return run.stat("late") >= 3; }));
  EXPECT_GE(run.stat("late"), 3u);
  EXPECT_EQ(run.stat("captions"), 0u);
  // Captions that never came count with the time until they were given up.
  EXPECT_GE(observed_latency(run), 100u);
  ASSERT_TRUE(run.wait(GST_MESSAGE_WARNING));
  EXPECT_THAT(run.warnings(), Contains(HasSubstr("latency is 100 ms")));
  EXPECT_THAT(run.cues(), IsEmpty());
}

TEST(Live, ShowsWhatIsLateForTheRestOfItsWindowWhenImmediate) {
  GatewayServer gateway;
  answer_after(gateway, milliseconds(400));
  CaptionRun run(gateway, captioned("latency=100 late-policy=immediate", 1000));
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(3));
  EXPECT_GE(run.stat("late"), 2u);
  EXPECT_GE(observed_latency(run), 400u);
  const Cues cues = run.cues();
  for (size_t i = 0; i < cues.size(); ++i) {
    EXPECT_GT(cues[i].end, cues[i].start);
    EXPECT_EQ(cues[i].end % 1000, 0u) << cues[i];
    EXPECT_EQ(cues[i].text, caption_at(cues[i].start / 1000)) << cues[i];
    if (i > 0) {
      EXPECT_GE(cues[i].start, cues[i - 1].end);
    }
  }
}

TEST(Live, MovesWhatIsLateAndLetsItBeReadWhenShifted) {
  GatewayServer gateway;
  answer_after(gateway, milliseconds(900));
  CaptionRun run(gateway, captioned("latency=100 late-policy=shift", 1000));
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(3));
  EXPECT_GE(run.stat("late"), 2u);
  const Cues cues = run.cues();
  for (size_t i = 0; i < cues.size(); ++i) {
    // The first window begins with the first picture, and no caption gets longer than its window.
    EXPECT_GE(cues[i].end - cues[i].start, i == 0 ? 1u : 999u) << cues[i];
    if (i > 0) {
      EXPECT_GE(cues[i].start, cues[i - 1].end) << cues[i];
    }
  }
}

struct Latency {
  gboolean live = FALSE;
  GstClockTime min = 0;
  GstClockTime max = 0;
};

// The answer to downstream; empty if the query fails.
std::optional<Latency> latency_of(const CaptionRun &run) {
  const auto query = GRef<GstQuery>::adopt(gst_query_new_latency());
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), "src"));
  if (!gst_pad_query(pad.get(), query.get())) return std::nullopt;
  Latency latency;
  gst_query_parse_latency(query.get(), &latency.live, &latency.min, &latency.max);
  return latency;
}

TEST(Live, AddsItsLatencyToThatOfItsSource) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned("latency=700"));
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(1));
  const auto latency = latency_of(run);
  ASSERT_TRUE(latency);
  EXPECT_TRUE(latency->live);
  EXPECT_GE(latency->min, 700 * GST_MSECOND);
  EXPECT_LE(latency->min, 800 * GST_MSECOND);
  EXPECT_GE(latency->max, latency->min);
}

TEST(NotLive, HasNoLatencyOfItsOwn) {
  GatewayServer gateway;
  CaptionRun run(
      gateway,
      "videotestsrc name=src ! video/x-raw,format=RGB,width=64,height=36 ! gencaption name=cap latency=700 ! "
      "appsink name=out sync=false");
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(1));
  const auto latency = latency_of(run);
  ASSERT_TRUE(latency);
  EXPECT_FALSE(latency->live);
  EXPECT_LT(latency->min, 700 * GST_MSECOND);
}

TEST(Live, AddsItsLatencyToTheMostOfItsSourceTooWhereThatIsFinite) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned("latency=700"));
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("src").get(), "src"));
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer) {
        GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
        if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return GST_PAD_PROBE_OK;
        gst_query_set_latency(query, TRUE, 40 * GST_MSECOND, 200 * GST_MSECOND);
        return GST_PAD_PROBE_HANDLED;
      },
      nullptr, nullptr);
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(1));
  const auto latency = latency_of(run);
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->min, 740 * GST_MSECOND);
  EXPECT_EQ(latency->max, 900 * GST_MSECOND);
}

// End of the sent time, whether it ever had a gap, and the CPU time of its thread.
struct GivenTime {
  std::atomic<uint64_t> begin = GST_CLOCK_TIME_NONE;
  std::atomic<uint64_t> end = 0;
  std::atomic<unsigned> gaps = 0;
  std::atomic<bool> broken = false;
  std::atomic<uint64_t> cpu_begin = 0;
  std::atomic<uint64_t> cpu_end = 0;
};

uint64_t cpu_of(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * GST_SECOND + static_cast<uint64_t>(time.tv_nsec);
}

uint64_t cpu_of_this_thread() { return cpu_of(CLOCK_THREAD_CPUTIME_ID); }

GstPadProbeReturn look_at_gap(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto &given = *static_cast<GivenTime *>(data);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_GAP) return GST_PAD_PROBE_OK;
  GstClockTime start = 0, length = 0;
  gst_event_parse_gap(event, &start, &length);
  if (given.gaps > 0 && start != given.end) given.broken = true;
  if (given.gaps++ == 0) {
    given.begin = start;
    given.cpu_begin = cpu_of_this_thread();
  }
  given.end = start + length;
  given.cpu_end = cpu_of_this_thread();
  return GST_PAD_PROBE_OK;
}

void watch_gaps(const CaptionRun &run, GivenTime &given) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("sink").get(), "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_gap, &given, nullptr);
}

TEST(Live, GivesTimeAwayAtTheDeadlineInTenthsWhileTheGatewayHangs) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::hang, 0);
  GivenTime given;  // Before the run: the probe looks at it as long as the pipeline lives.
  CaptionRun run(
      gateway,
      kCamera + "gencaption name=cap interval=500000000 latency=300 ! fakesink name=sink sync=false");
  watch_gaps(run, given);
  run.go(GST_STATE_PLAYING);
  comes([&] { return given.end >= 2 * GST_SECOND; });
  // In this order, because it goes on meanwhile.
  const unsigned gaps = given.gaps;
  const uint64_t end = given.end;
  const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(run.pipeline()));
  const GstClockTime position = gst_clock_get_time(clock.get()) - gst_element_get_base_time(run.pipeline());
  EXPECT_GE(end, 2 * GST_SECOND);
  EXPECT_FALSE(given.broken);
  EXPECT_LE(end, position - 150 * GST_MSECOND) << "not before the deadline";
  EXPECT_LE(gaps, 2 + end / (100 * GST_MSECOND)) << "ten a second, and the first";
  if (measures_time()) {
    EXPECT_LE(given.cpu_end - given.cpu_begin, end / 100) << "the thread sleeps in between";
  }
}

// All threads but the camera's and the test's: those of gencaption, also of its codecs, which end with each
// picture, and of the gateway, which hang. One question a second, five times as many as by default.
TEST(Live, TakesLessThanAHundredthOfACoreWhileTheGatewayHangs) {
  if (!measures_time()) GTEST_SKIP() << "the suite timing measures";
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer takes a multiple";
  GST_DEBUG_CATEGORY_STATIC(pads);
  GST_DEBUG_CATEGORY_GET(pads, "GST_PADS");
  if (gst_debug_category_get_threshold(pads) >= GST_LEVEL_LOG || g_getenv("GST_TRACERS"))
    GTEST_SKIP() << "each line of the log, and each object of a tracer, takes its time";
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::hang, 0);
  GivenTime given;
  std::atomic<uint64_t> of_camera = 0;
  CaptionRun run(
      gateway,
      kCamera + "gencaption name=cap interval=1000000000 latency=300 ! fakesink name=sink sync=false");
  watch_gaps(run, given);
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("src").get(), "src"));
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *, gpointer data) {
        *static_cast<std::atomic<uint64_t> *>(data) = cpu_of_this_thread();
        return GST_PAD_PROBE_OK;
      },
      &of_camera, nullptr);
  run.go(GST_STATE_PLAYING);
  for (int i = 0; i < 20000 && (gateway.gateway().calls() < 2 || given.gaps < 5); ++i) g_usleep(1000);
  ASSERT_EQ(gateway.gateway().calls(), 2u) << "all workers wait";
  // What a busy machine adds comes and goes.
  double least = 1;
  for (int round = 0; round < 5 && least >= 0.01; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const uint64_t others = of_camera + cpu_of_this_thread(), all = cpu_of(CLOCK_PROCESS_CPUTIME_ID);
    for (const uint64_t until = given.end + GST_SECOND; given.end < until;) {
      ASSERT_LT(std::chrono::steady_clock::now() - begin, kPatience);
      g_usleep(10000);
    }
    const uint64_t used = cpu_of(CLOCK_PROCESS_CPUTIME_ID) - all;
    const uint64_t of_others = of_camera + cpu_of_this_thread() - others;
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
    const uint64_t own = used > of_others ? used - of_others : 0;
    least = std::min(least, static_cast<double>(own) / static_cast<double>(took.count()));
  }
  EXPECT_LT(least, 0.01);
}

TEST(Live, GivesTimeAwayInTenthsWhateverTheGatewaySays) {
  for (const GatewayFaultKind kind : {GatewayFaultKind::none, GatewayFaultKind::status}) {
    GatewayServer gateway;
    answer_after(gateway, milliseconds(300));
    if (kind != GatewayFaultKind::none) gateway.fault(kind, 0, 400);
    GivenTime given;
    CaptionRun run(gateway,
                   kCamera +
                       "gencaption name=cap interval=1000000000 latency=100 on-error=skip retries=0 ! "
                       "fakesink name=sink sync=false");
    watch_gaps(run, given);
    run.go(GST_STATE_PLAYING);
    comes([&] { return given.end >= 2 * GST_SECOND; });
    const unsigned gaps = given.gaps;  // Before the end, which goes on meanwhile.
    EXPECT_LE(gaps, 4 + given.end / (100 * GST_MSECOND));
    EXPECT_GE(given.end, 2 * GST_SECOND);
  }
}

// Its plug is pulled for more than a second, and another one is plugged in.
TEST(Live, GoesOnWhenACameraComesBackWithAnotherSize) {
  GatewayServer gateway;
  answer_after(gateway, milliseconds(20));
  GivenTime given;
  CaptionRun run(gateway, kCamera +
                              "videoscale ! capsfilter name=size ! valve name=plug ! "
                              "gencaption name=cap interval=500000000 latency=2000 ! "
                              "fakesink name=sink sync=false");
  watch_gaps(run, given);
  run.go(GST_STATE_PLAYING);
  ASSERT_TRUE(run.wait_for_captions(2));

  g_object_set(run.element("plug").get(), "drop", TRUE, nullptr);
  const auto larger =
      GRef<GstCaps>::adopt(gst_caps_from_string("video/x-raw,format=RGB,width=128,height=72,framerate=30/1"));
  g_object_set(run.element("size").get(), "caps", larger.get(), nullptr);
  const uint64_t gone_at = given.end, gaps_before = given.gaps;
  const guint64 asked_before = run.stat("requests");
  comes([&] { return given.end >= gone_at + 2 * GST_SECOND; });
  const uint64_t gaps_since = given.gaps - gaps_before;  // Before the end, which goes on meanwhile.
  const uint64_t away = given.end - gone_at;
  EXPECT_GE(away, 2 * GST_SECOND) << "downstream does not wait for a camera";
  EXPECT_LE(gaps_since, 4 + away / (100 * GST_MSECOND));
  EXPECT_LE(run.stat("requests"), asked_before + 1) << "there is nothing to ask about";

  const guint64 captions_before = run.stat("captions");
  g_object_set(run.element("plug").get(), "drop", FALSE, nullptr);
  ASSERT_TRUE(run.wait_for_captions(static_cast<unsigned>(captions_before) + 3));
  // A machine that stands still for longer than the latency is late.
  if (!measures_time()) return;
  EXPECT_EQ(run.stat("late"), 0u);
  EXPECT_THAT(run.warnings(), IsEmpty());
}

}  // namespace
}  // namespace genclip::test
