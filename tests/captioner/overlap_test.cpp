// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Overlapping texts: no input is lost, and no time is used twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/captioner/harness.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr GstClockTime kMs = GST_MSECOND;

std::string all_of(const Cues &cues) {
  std::string all;
  for (const Cue &cue : cues) all += cue.text + "\n";
  return all;
}

void expect_no_overlap(const Cues &cues) {
  for (size_t i = 0; i < cues.size(); ++i) {
    EXPECT_LT(cues[i].start, cues[i].end) << cues[i];
    if (i > 0) {
      EXPECT_GE(cues[i].start, cues[i - 1].end) << cues[i];
    }
  }
}

struct PushedText {
  std::string text;
  GstClockTime start, duration;
};
struct SaidOfTexts {
  Cues cues;
  unsigned calls = 0;
  std::vector<std::string> warnings;
};

// What comes of texts that come at once, as those of a file do. A text is asked about by itself if no other
// one comes for half a second: a machine that stands still for about as long does it again.
SaidOfTexts said_of(const std::vector<PushedText> &texts) {
  for (int again = 20;; --again) {
    GatewayServer gateway;
    Harness harness(gateway, "", kUtf8);
    const auto begun = std::chrono::steady_clock::now();
    for (const PushedText &one : texts) harness.push(one.text, one.start, one.duration);
    const auto took = std::chrono::steady_clock::now() - begun;
    const Cues cues = harness.finish();
    if (took < std::chrono::milliseconds(400) || again == 0)
      return {cues, gateway.gateway().calls(), harness.warnings()};
  }
}

TEST(OverlappingTexts, AreAskedAboutAsLinesOfOneCue) {
  const SaidOfTexts said = said_of(
      {{"Eins.", 0, 4000 * kMs}, {"Zwei.", 1000 * kMs, 2000 * kMs}, {"Drei.", 5000 * kMs, 1000 * kMs}});
  EXPECT_EQ(said.cues, Cues({{0, 4000, "EINS.\nZWEI."}, {5000, 6000, "DREI."}}));
  EXPECT_EQ(said.calls, 2u);
  EXPECT_THAT(said.warnings, IsEmpty());
}

TEST(OverlappingTexts, LastUntilTheLastOfThemEnds) {
  EXPECT_EQ(said_of({{"Eins.", 0, 2000 * kMs}, {"Zwei.", 1000 * kMs, 2000 * kMs}}).cues,
            Cues({{0, 3000, "EINS.\nZWEI."}}));
}

TEST(OverlappingTexts, WithoutADurationAtOneTimeAreAllKept) {
  const SaidOfTexts said = said_of({{"Eins.", 0, GST_CLOCK_TIME_NONE},
                                    {"Zwei.", 0, GST_CLOCK_TIME_NONE},
                                    {"Drei.", 2000 * kMs, GST_CLOCK_TIME_NONE},
                                    {"Vier.", 2000 * kMs, 1500 * kMs}});
  EXPECT_EQ(said.cues, Cues({{0, 2000, "EINS.\nZWEI."}, {2000, 3500, "DREI.\nVIER."}}));
  EXPECT_EQ(said.calls, 2u);
}

// Machine-written texts: each one stays until the one after the next starts.
TEST(OverlappingTexts, OfAWholeFilmDoNotBecomeOneCue) {
  std::vector<PushedText> texts;
  for (unsigned i = 0; i < 6; ++i)
    texts.push_back({std::string(1, char('a' + i)), 2000 * i * kMs, 4000 * kMs});
  EXPECT_EQ(said_of(texts).cues, Cues({{0, 4000, "A\nB"}, {4000, 8000, "C\nD"}, {8000, 14000, "E\nF"}}));
}

TEST(OverlappingTexts, UnderOneThatStaysForTheWholeFilmAreAFewLinesEach) {
  GatewayServer gateway;
  Harness harness(gateway, "max-in-flight=4", kUtf8);
  harness.push("x", 0, 60 * GST_SECOND);
  for (unsigned i = 0; i < 9; ++i)
    harness.push(std::string(1, char('a' + i)), (2000 * i + 1000) * kMs, 1000 * kMs);
  const Cues cues = harness.finish();
  EXPECT_EQ(all_of(cues), "X\nA\nB\nC\nD\nE\nF\nG\nH\nI\n");
  expect_no_overlap(cues);
  for (const Cue &cue : cues) EXPECT_LE(std::count(cue.text.begin(), cue.text.end(), '\n'), 3) << cue;
}

// A sign that stays while people talk.
TEST(OverlappingTexts, ComeAtMostThreeSecondsTooEarly) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("sign", 0, 60 * GST_SECOND);
  for (const uint64_t at : {2, 5, 8}) harness.push("l" + std::to_string(at), at * GST_SECOND, GST_SECOND);
  const Cues cues = harness.finish();
  EXPECT_EQ(all_of(cues), "SIGN\nL2\nL5\nL8\n");
  for (const Cue &cue : cues)
    for (const uint64_t at : {2, 5, 8})
      if (cue.text.find("L" + std::to_string(at)) != std::string::npos) {
        EXPECT_LE(cue.start, at * 1000) << cue;
        EXPECT_GT(cue.start + 3000, at * 1000) << cue;
      }
  expect_no_overlap(cues);
}

TEST(OverlappingTexts, ByNextToNothingStayTwoCues) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Eins.", 0, 2000 * kMs);
  harness.push("Zwei.", 1900 * kMs, 2000 * kMs);
  EXPECT_EQ(harness.finish(), Cues({{0, 1900, "EINS."}, {1900, 3900, "ZWEI."}}));
}

TEST(OverlappingTexts, ThatComeWhenTheFirstHasBeenAskedAboutFollowIt) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Eins.", 0, 4000 * kMs);
  while (gateway.gateway().calls() == 0) g_usleep(1000);
  harness.push("Zwei.", 1000 * kMs, 2000 * kMs);
  harness.push("Drei.", 1500 * kMs, 2000 * kMs);
  const Cues cues = harness.finish();
  EXPECT_EQ(all_of(cues), "EINS.\nZWEI.\nDREI.\n");
  expect_no_overlap(cues);
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

TEST(OverlappingTexts, AreNeverLostWhateverTheirTimes) {
  std::mt19937 random(4);
  for (int round = 0; round < 40; ++round) {
    GatewayServer gateway;
    Harness harness(gateway, "max-in-flight=" + std::to_string(1 + random() % 4), kUtf8);
    std::string wanted;
    GstClockTime start = 0;
    for (unsigned i = 0; i < 40; ++i) {
      if (const GstClockTime step = random() % 3 * (random() % 1500) * kMs; step > 0) {
        // As demuxers say it, also while a text lasts: none begins in between.
        if (random() % 4 == 0) gst_harness_push_event(harness.get(), gst_event_new_gap(start, step));
        start += step;
      }
      const std::string text = "t" + std::to_string(i);
      wanted += "T" + std::to_string(i) + "\n";
      const bool dated = random() % 4 > 0;
      harness.push(text, start, dated ? (1 + random() % 5000) * kMs : GST_CLOCK_TIME_NONE);
    }
    const Cues cues = harness.finish();
    EXPECT_EQ(all_of(cues), wanted) << round;
    expect_no_overlap(cues);
    EXPECT_THAT(harness.warnings(), IsEmpty()) << round;
    EXPECT_LE(gateway.gateway().calls(), 40u);
    EXPECT_EQ(gateway.gateway().calls(), cues.size()) << "what is paid for is shown";
  }
}

// A file of consecutive texts is no slower than its answers.
TEST(OverlappingTexts, AreNotAwaitedWhereTheNextTextIsThere) {
  GatewayServer gateway;
  Harness harness(gateway, "max-in-flight=1", kUtf8);
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < 20; ++i) harness.push("Da.", i * GST_SECOND, GST_SECOND);
  EXPECT_THAT(harness.finish(), SizeIs(20));
  // Half a second each would be ten.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, time_limit(std::chrono::seconds(5)));
}

// One text, without any sign of what follows.
TEST(OverlappingTexts, AreNotAwaitedForEver) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  harness.push("Eins.", 0, 4000 * kMs);
  GstBuffer *buffer = gst_harness_pull(harness.get());
  ASSERT_TRUE(buffer);
  EXPECT_EQ(text_of(buffer), "EINS.");
  gst_buffer_unref(buffer);
}

}  // namespace
}  // namespace genclip::test
