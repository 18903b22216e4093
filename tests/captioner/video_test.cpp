// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Video that is not live: each window's caption, from its own frames, the same on every run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/captioner/caption_run.h"

namespace genclip::test {
namespace {

using sim::GatewayFaultKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string video(unsigned frames, const std::string &rest, const std::string &rate = "10/1") {
  return "videotestsrc name=src num-buffers=" + std::to_string(frames) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=" + rate + " ! " + rest;
}

const std::string kOut = " ! appsink name=out sync=false";

TEST(Video, GetsOneCaptionAWindowOfItsOwnPicture) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(30, "gencaption name=cap interval=1000000000" + kOut));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(3));
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  EXPECT_EQ(gateway.gateway().calls(), 3u);
  EXPECT_EQ(run.stat("requests"), 3u);
  EXPECT_EQ(run.stat("captions"), 3u);
  EXPECT_EQ(run.stat("skipped"), 0u);
  EXPECT_EQ(run.stat("late"), 0u);
  EXPECT_EQ(run.stat("total-tokens"), run.stat("prompt-tokens") + run.stat("output-tokens"));
  EXPECT_GT(run.stat("mean-latency"), 0u);
}

TEST(Video, IsCaptionedTheSameOnEveryRunWhateverTheTiming) {
  for (const char *properties :
       {"max-in-flight=1", "max-in-flight=8", "stream=true", "stream=true max-in-flight=4"}) {
    GatewayServer gateway;
    gateway.gateway().set_pace({.chunk = 7, .before = std::chrono::milliseconds(20), .between = {}});
    Cues first;
    for (int round = 0; round < 3; ++round) {
      CaptionRun run(gateway,
                     video(60, std::string("gencaption name=cap interval=1000000000 ") + properties + kOut));
      ASSERT_EQ(run.play(), "") << properties;
      if (round == 0) first = run.cues();
      EXPECT_EQ(run.cues(), first) << properties;
    }
    EXPECT_THAT(first, Not(IsEmpty()));
    EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  }
}

TEST(Video, ThatEndsWithinAWindowHasItsLastCaptionEndWithIt) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(25, "gencaption name=cap interval=1000000000" + kOut));
  ASSERT_EQ(run.play(), "");
  const Cues cues = run.cues();
  ASSERT_THAT(cues, SizeIs(3));
  EXPECT_EQ(cues[2].start, 2000u);
  EXPECT_GE(cues[2].end, 2500u);
  EXPECT_LE(cues[2].end, 3000u);
}

TEST(Video, SendsStillsSpreadOverTheIntervalBefore) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(60, "gencaption name=cap interval=2000000000 frames=4" + kOut));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(),
            Cues({{0, 2000, "1 still of 64x36. It is red."},
                  {2000, 4000, "4 stills of 64x36. It is red. It is green. It is green. It is blue."},
                  {4000, 6000, "4 stills of 64x36. It is blue. It is yellow. It is yellow. It is white."}}));
}

TEST(Video, IsSentNoLargerThanAsked) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(10, "gencaption name=cap interval=1000000000 max-frame-size=32" + kOut));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), Cues({{0, 1000, caption_at(0, "32x18")}}));
}

TEST(Video, IsAskedAboutOnlyWhenItChanges) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(80, "gencaption name=cap interval=500000000 scene-threshold=0.2" + kOut));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(gateway.gateway().calls(), 8u);
  Cues wanted;
  for (unsigned half = 0; half < 16; ++half)
    wanted.push_back({500 * half, 500 * half + 500, caption_at(half / 2)});
  EXPECT_EQ(run.cues(), wanted);
}

TEST(Video, SendsEarlierCaptionsAlong) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 video(40, "gencaption name=cap interval=1000000000 context=2 max-in-flight=4" + kOut));
  ASSERT_EQ(run.play(), "");
  const auto bodies = gateway.bodies();
  ASSERT_THAT(bodies, SizeIs(4));
  EXPECT_THAT(bodies[0].to_text(), Not(HasSubstr("- 1 still")));
  EXPECT_THAT(bodies[1].to_text(), HasSubstr("- " + caption_at(0)));
  EXPECT_THAT(bodies[2].to_text(), HasSubstr("- " + caption_at(0) + "\\n- " + caption_at(1)));
  EXPECT_THAT(bodies[3].to_text(), AllOf(Not(HasSubstr(caption_at(0))),
                                         HasSubstr("- " + caption_at(1) + "\\n- " + caption_at(2))));
}

TEST(Video, SendsEverythingThatIsSet) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(5,
                                "gencaption name=cap model=gem-2.5-pro-low prompt=\"What is it?\" "
                                "system-instruction=\"Be brief.\" temperature=0.5 top-p=0.25 "
                                "max-output-tokens=3" +
                                    kOut));
  ASSERT_EQ(run.play(), "");
  ASSERT_THAT(gateway.bodies(), SizeIs(1));
  const Json body = gateway.bodies()[0];
  EXPECT_EQ(body.find("generationConfig")->to_text(),
            R"({"temperature":0.5,"topP":0.25,"maxOutputTokens":3})");
  EXPECT_THAT(body.to_text(), AllOf(HasSubstr("What is it?"), HasSubstr("Be brief.")));
  EXPECT_THAT(run.cues(), SizeIs(1));
  EXPECT_EQ(run.cues()[0].text, "1 still of");
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("max-output-tokens")));
}

TEST(Video, ChangesItsPromptWhilePlaying) {
  std::atomic<unsigned> asked = 0;
  std::atomic<bool> is_changed = false;
  GatewayServer gateway;
  // The third answer waits for the change: else the film might end before it.
  gateway.refuse([&asked, &is_changed](const std::string &) {
    if (++asked > 2)
      while (!is_changed) g_usleep(1000);
    return false;
  });
  CaptionRun run(gateway,
                 video(200, "gencaption name=cap interval=1000000000 prompt=before max-in-flight=1" + kOut));
  run.go(GST_STATE_PLAYING);
  const bool are_there = run.wait_for_captions(2);
  run.set("cap", "prompt", "after");
  is_changed = true;
  ASSERT_TRUE(are_there);
  ASSERT_EQ(run.finish(), "");
  const auto bodies = gateway.bodies();
  EXPECT_THAT(bodies.front().to_text(), HasSubstr("before"));
  EXPECT_THAT(bodies.back().to_text(), HasSubstr("after"));
}

TEST(Video, HasSentencesThatLeaveAsTheyCompleteWithoutOverlap) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(100, "gencaption name=cap stream=true" + kOut));
  ASSERT_EQ(run.play(), "");
  const Cues cues = run.cues();
  ASSERT_THAT(cues, SizeIs(4));
  EXPECT_EQ(cues[0].text, "1 still of 64x36.");
  EXPECT_EQ(cues[1].text, "It is red.");
  EXPECT_EQ(cues[1].end, 5000u);
  EXPECT_EQ(cues[2].start, 5000u);
  EXPECT_EQ(cues[3].end, 10000u);
  for (size_t i = 1; i < cues.size(); ++i) EXPECT_EQ(cues[i].start, cues[i - 1].end);
  for (const Cue &cue : cues)
    EXPECT_LE(static_cast<double>(cue.text.size()), 20.0 * static_cast<double>(cue.end - cue.start) / 1000)
        << cue;
}

TEST(Video, StopsAskingAtItsBudgetWithOneWarning) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(60, "gencaption name=cap interval=1000000000 max-requests=2" + kOut));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(2));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("max-requests")));
  EXPECT_EQ(run.stat("skipped"), 4u);
}

TEST(Video, CountsRetriesInItsBudget) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::status, 1, 503);
  CaptionRun run(gateway,
                 video(60, "gencaption name=cap interval=1000000000 max-requests=2 max-in-flight=1" + kOut));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(gateway.gateway().calls(), 2u);
  EXPECT_EQ(run.cues(), each_second(1));
  EXPECT_EQ(run.stat("retries"), 1u);
}

TEST(Video, SaysEachCaptionOnTheBus) {
  GatewayServer gateway;
  CaptionRun run(gateway, video(20, "gencaption name=cap interval=1000000000" + kOut));
  ASSERT_EQ(run.play(), "");
  const auto captions = run.captions();
  ASSERT_THAT(captions, SizeIs(2));
  const GstStructure *said = gst_message_get_structure(captions[1].get());
  EXPECT_STREQ(gst_structure_get_string(said, "text"), caption_at(1).c_str());
  EXPECT_STREQ(gst_structure_get_string(said, "finish-reason"), "STOP");
  guint64 pts = 0, duration = 0, prompt = 0, output = 0, total = 0, latency = 0;
  ASSERT_TRUE(gst_structure_get(said, "pts", G_TYPE_UINT64, &pts, "duration", G_TYPE_UINT64, &duration,
                                "prompt-tokens", G_TYPE_UINT64, &prompt, "output-tokens", G_TYPE_UINT64,
                                &output, "total-tokens", G_TYPE_UINT64, &total, "latency", G_TYPE_UINT64,
                                &latency, nullptr));
  EXPECT_EQ(pts, GST_SECOND);
  EXPECT_EQ(duration, GST_SECOND);
  EXPECT_GE(prompt, 258u);
  EXPECT_EQ(output, 7u);
  EXPECT_EQ(total, prompt + output);
  EXPECT_GT(latency, 0u);
}

TEST(Video, PlayedBackwardsIsCaptionedInFallingOrder) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "videotestsrc name=src ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
                 "gencaption name=cap interval=1000000000 ! appsink name=out sync=false");
  run.go(GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(run.pipeline(), nullptr, nullptr, 30 * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS);
  ASSERT_TRUE(gst_element_seek(run.pipeline(), -1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET,
                               0, GST_SEEK_TYPE_SET, 3 * GST_SECOND));
  ASSERT_EQ(run.play(), "");
  Cues cues = run.cues();
  ASSERT_GE(cues.size(), 3u);
  for (size_t i = 0; i < cues.size(); ++i) {
    EXPECT_GT(cues[i].end, cues[i].start) << cues[i];
    if (i > 0) {
      EXPECT_LE(cues[i].end, cues[i - 1].start) << cues[i];
    }
  }
}

TEST(Video, SurvivesChangesOfCapsAndAStreamWithoutDurations) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "concat name=c ! gencaption name=cap interval=1000000000 ! appsink name=out sync=false "
                 "videotestsrc num-buffers=10 pattern=red ! "
                 "video/x-raw,width=64,height=36,framerate=10/1,format=I420 ! c. "
                 "videotestsrc num-buffers=10 pattern=blue ! "
                 "video/x-raw,width=100,height=50,framerate=5/1,format=NV12 ! c.");
  ASSERT_EQ(run.play(), "");
  Cues cues = run.cues();
  ASSERT_THAT(cues, SizeIs(3));
  EXPECT_EQ(cues[0], (Cue{0, 1000, "1 still of 64x36. It is red."}));
  EXPECT_EQ(cues[1].text, "1 still of 100x50. It is blue.");
  EXPECT_EQ(cues[2].text, "1 still of 100x50. It is blue.");
}

}  // namespace
}  // namespace genclip::test
