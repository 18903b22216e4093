// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions that people can read: what gencaption does with answers that are too long, and what it tells of
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/caption_harness.h"
#include "tests/captioner/harness.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kReadable[] = "max-line-length=42 max-lines=2 max-cps=20";
const std::string kTwoDogs =
    "A man in a red coat walks along the beach. Two dogs chase each other through the surf.";
const std::string kFirstCue = "A MAN IN A RED COAT WALKS ALONG THE BEACH.";
const std::string kSecondCue = "TWO DOGS CHASE EACH\nOTHER THROUGH THE SURF.";

std::string captioned_video(unsigned frames, const std::string &properties) {
  return "videotestsrc name=src num-buffers=" + std::to_string(frames) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap " + properties +
         " ! appsink name=out sync=false";
}

void expect_readable(const Cues &cues, size_t line, size_t lines, size_t speed) {
  for (const Cue &cue : cues) {
    size_t count = 1, columns = 0, longest = 0;
    for (const char c : cue.text) {
      if (c == '\n') ++count;
      columns = c == '\n' ? 0 : columns + 1;
      longest = std::max(longest, columns);
    }
    EXPECT_LE(count, lines) << cue;
    EXPECT_LE(longest, line) << cue;
    EXPECT_LE(cue.text.size() * 1000, (cue.end - cue.start) * speed) << cue;
  }
}

std::string left_out_of(GstMessage *message) {
  return gst_structure_get_string(gst_message_get_structure(message), "left-out");
}

TEST(CuesOfACaption, ShareTheTimeOfTheirText) {
  GatewayServer gateway;
  Harness harness(gateway, kReadable, kUtf8);
  harness.push(kTwoDogs, 2 * GST_SECOND, 10 * GST_SECOND);
  harness.push("Who is there?", 12 * GST_SECOND, 2 * GST_SECOND);
  EXPECT_EQ(harness.finish(),
            Cues({{2000, 6941, kFirstCue}, {6941, 12000, kSecondCue}, {12000, 14000, "WHO IS THERE?"}}));
  EXPECT_EQ(harness.stat("captions"), 3u);
  EXPECT_EQ(harness.stat("shortened"), 0u);
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

TEST(CuesOfACaption, ComeInDescendingOrderBackwards) {
  GatewayServer gateway;
  Harness harness(gateway, kReadable, kUtf8);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = 20 * GST_SECOND;
  harness.begin(segment);
  harness.push(kTwoDogs, 10 * GST_SECOND, 10 * GST_SECOND);
  harness.push(kTwoDogs, 0, 10 * GST_SECOND);
  EXPECT_EQ(harness.finish(), Cues({{14941, 20000, kSecondCue},
                                    {10000, 14941, kFirstCue},
                                    {4941, 10000, kSecondCue},
                                    {0, 4941, kFirstCue}}));
}

TEST(CuesOfACaption, HaveNoSilenceBetweenThem) {
  GatewayServer gateway;
  CaptionHarness harness(gateway, kReadable, kUtf8);
  harness.push_segment(0, 20 * GST_SECOND);
  harness.push(kTwoDogs, 0, 10 * GST_SECOND);
  const auto out = harness.finish();
  uint64_t first_end = 0;
  for (const CameOut &one : out) {
    if (one.text == kFirstCue) first_end = one.end;
    if (one.text == kSecondCue) break;
    if (one.what == "gap") {
      EXPECT_EQ(first_end, 0u) << one;
    }
  }
  ASSERT_GT(first_end, 0u);
  EXPECT_THAT(only(out, "gap"), testing::Contains(CameOut{"gap", 10 * GST_SECOND, 10 * GST_SECOND, ""}))
      << "the muxer must know that the second one is over";
}

TEST(CuesOfACaption, TellOnTheBusWhatIsLeftOutAndWarnOnce) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned_video(60, std::string("frames=4 interval=2000000000 ") + kReadable));
  ASSERT_EQ(run.play(), "");
  const auto messages = run.captions();
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_EQ(run.cues(), Cues({{0, 2000, "1 still of 64x36. It is red."},
                              {2000, 4000, "4 stills of 64x36. It is red."},
                              {4000, 6000, "4 stills of 64x36. It is blue."}}));
  EXPECT_EQ(left_out_of(messages[0].get()), "");
  EXPECT_EQ(left_out_of(messages[1].get()), "It is green. It is green. It is blue.");
  EXPECT_EQ(left_out_of(messages[2].get()), "It is yellow. It is yellow. It is white.");
  EXPECT_EQ(run.stat("shortened"), 2u);
  EXPECT_EQ(run.stat("skipped"), 0u);
  EXPECT_THAT(run.warnings(), ElementsAre(AllOf(HasSubstr("max-cps"), Not(HasSubstr("messages")))))
      << "genclip caption shows it to people who have no messages";
}

TEST(CuesOfACaption, StandAsLongAsTheirWindowsWhereNothingCanBeRead) {
  GatewayServer gateway;
  Harness harness(gateway, "max-cps=5 max-line-length=42 max-lines=1", kUtf8);
  harness.push("Yes.", 0, GST_SECOND);
  harness.push("Notwithstanding.", GST_SECOND, GST_SECOND);
  harness.push("Incomprehensibilities notwithstanding, unfortunately.", 2 * GST_SECOND, GST_SECOND);
  harness.push("No.", 3 * GST_SECOND, GST_SECOND);
  EXPECT_EQ(harness.finish(), Cues({{0, 1000, "YES."},
                                    {1000, 2000, "NOTWITHSTANDING."},
                                    {2000, 2500, "INCOMPREHENSIBILITIES NOTWITHSTANDING,"},
                                    {2500, 3000, "UNFORTUNATELY."},
                                    {3000, 4000, "NO."}}));
  EXPECT_EQ(harness.stat("skipped"), 0u);
  EXPECT_EQ(harness.stat("shortened"), 0u) << "nothing of a text is left out";
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("too little time to be read")));
}

TEST(CuesOfACaption, AreThoseOfEachStreamedSentence) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned_video(50, "stream=true max-line-length=10 max-lines=1 max-cps=20"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), Cues({{0, 1000, "1 still"}, {1000, 2000, "of 64x36."}, {2000, 5000, "It is red."}}));
}

TEST(CuesOfACaption, AreReadableAndTheSameOnEveryRunIfTheAnswerIsStreamed) {
  for (const char *properties : {"frames=6 stream=true", "frames=6 stream=false", "frames=16 stream=true"}) {
    GatewayServer gateway;
    gateway.gateway().set_pace({.chunk = 7, .before = std::chrono::milliseconds(20), .between = {}});
    Cues first;
    for (int round = 0; round < 3; ++round) {
      CaptionRun run(gateway, captioned_video(
                                  150, std::string(properties) +
                                           " interval=5000000000 max-line-length=20 max-lines=2 max-cps=17"));
      ASSERT_EQ(run.play(), "") << properties;
      if (round == 0) first = run.cues();
      EXPECT_EQ(run.cues(), first) << properties;
    }
    EXPECT_GE(first.size(), 5u) << properties;
    expect_readable(first, 20, 2, 17);
  }
}

TEST(CuesOfACaption, AreReadableLiveWithoutAWarning) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "videotestsrc name=src is-live=true num-buffers=60 ! "
                 "video/x-raw,format=RGB,width=64,height=36,framerate=30/1 ! gencaption name=cap "
                 "interval=1000000000 latency=60000 max-line-length=12 max-lines=2 max-cps=20 ! "
                 "appsink name=out sync=false");
  ASSERT_EQ(run.play(), "");
  expect_readable(run.cues(), 12, 2, 20);
  EXPECT_GE(run.stat("shortened"), 1u);
  EXPECT_THAT(run.warnings(), IsEmpty());
}

TEST(CuesOfACaption, AreRepeatedWithThePicture) {
  GatewayServer gateway;
  CaptionRun run(
      gateway,
      captioned_video(40, "interval=2000000000 scene-threshold=1 max-line-length=20 max-lines=1 max-cps=20"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), Cues({{0, 1000, "1 still of 64x36."},
                              {1000, 2000, "It is red."},
                              {2000, 3000, "1 still of 64x36."},
                              {3000, 4000, "It is red."}}));
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

TEST(LimitsOfCues, AreInThePromptUnlessTheyAreOff) {
  const std::string rule = "The answer is shown as subtitles: ";
  for (const auto &[properties, wanted] : {
           std::pair<std::string, std::string>{"", ""},
           {"prompt=Say. max-cps=10", "Say.\\n\\n" + rule + "at most 20 characters in all"},
           {"prompt=\"\" max-lines=3", "\"" + rule + "at most 3 lines at a time."},
       }) {
    GatewayServer gateway;
    CaptionRun run(gateway, captioned_video(10, "interval=2000000000 " + properties));
    ASSERT_EQ(run.play(), "");
    const std::string body = gateway.bodies().at(0).to_text();
    if (wanted.empty())
      EXPECT_THAT(body, Not(HasSubstr("subtitles")));
    else
      EXPECT_THAT(body, HasSubstr(wanted));
  }
  GatewayServer gateway;
  Harness harness(gateway, kReadable, kUtf8);
  harness.push("Eins.", 0, 3 * GST_SECOND);
  harness.finish();
  EXPECT_THAT(gateway.bodies().at(0).to_text(), HasSubstr("at most 20 characters per second"));
}

TEST(LimitsOfCues, AreOnByDefault) {
  const auto element = GRef<GstElement>::adopt(
      static_cast<GstElement *>(gst_object_ref_sink(gst_element_factory_make("gencaption", nullptr))));
  guint line = 0, lines = 0, speed = 0;
  g_object_get(element.get(), "max-line-length", &line, "max-lines", &lines, "max-cps", &speed, nullptr);
  EXPECT_EQ(line, 42u);
  EXPECT_EQ(lines, 2u);
  EXPECT_EQ(speed, 20u);
}

}  // namespace
}  // namespace genclip::test
