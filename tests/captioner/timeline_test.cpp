// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Times of captions, and frames that trigger them: plain arithmetic.
#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "elements/captioner/caption_timeline.h"
#include "elements/captioner/frame_sampler.h"

namespace genclip {

void PrintTo(const TimeSpan &span, std::ostream *out) { *out << span.start << "-" << span.end; }

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kSecond = 1000 * kMillisecond;

TimeSpan ms(uint64_t start, uint64_t end) { return {start * kMillisecond, end * kMillisecond}; }

CaptionTimeline timeline(LatePolicy policy = LatePolicy::drop) {
  CaptionTimeline line(policy);
  line.begin(0, false);
  return line;
}

TEST(CaptionTimeline, GivesEachWindowWhole) {
  auto line = timeline();
  EXPECT_EQ(line.place(ms(0, 5000), "One."), ms(0, 5000));
  EXPECT_EQ(line.place(ms(5000, 7000), "Two."), ms(5000, 7000));
  EXPECT_EQ(line.given(), 7000 * kMillisecond);
}

TEST(CaptionTimeline, GivesNoTimeTwice) {
  auto line = timeline();
  EXPECT_EQ(line.place(ms(0, 2000), "One."), ms(0, 2000));
  EXPECT_EQ(line.place(ms(1000, 3000), "Two."), ms(2000, 3000));
  EXPECT_EQ(line.place(ms(2000, 3000), "Three."), std::nullopt);
  EXPECT_EQ(line.silence_until(3000 * kMillisecond), std::nullopt);
  EXPECT_EQ(line.silence_until(3500 * kMillisecond), ms(3000, 3500));
}

TEST(CaptionTimeline, LetsASentenceBeReadAndLeavesHalfOfTheRoom) {
  auto line = timeline();
  const std::string forty(40, 'x');
  EXPECT_EQ(line.place_sentence(ms(0, 10000), forty), ms(0, 2000));
  EXPECT_EQ(line.place_sentence(ms(0, 10000), "Hi."), ms(2000, 3000));
  EXPECT_EQ(line.place_sentence(ms(0, 10000), std::string(400, 'x')), ms(3000, 6500));
  EXPECT_EQ(line.place(ms(0, 10000), "The end."), ms(6500, 10000));
  EXPECT_EQ(line.place_sentence(ms(10000, 10900), "Hi."), std::nullopt) << "less than half a second for each";
}

TEST(CaptionTimeline, GivesASentenceItsReadingTimeOrNothingIfTheSpeedIsLimited) {
  CaptionTimeline line(LatePolicy::drop, {42, 2, 10});
  line.begin(0, false);
  EXPECT_EQ(line.place_sentence(ms(0, 10000), std::string(51, 'x')), std::nullopt);
  EXPECT_EQ(line.place_sentence(ms(0, 10000), std::string(50, 'x')), ms(0, 5000));
  EXPECT_EQ(line.place_sentence(ms(0, 10000), "红色外套的男人沿着"), ms(5000, 6800))
      << "each has two columns";
  line.end();
  line.begin(0, false);
  EXPECT_EQ(line.place_sentence(ms(0, 10000), std::string(51, 'x')), std::nullopt) << "the limit stays";
  CaptionTimeline shifted(LatePolicy::shift, {42, 2, 10});
  shifted.begin(0, false);
  shifted.silence_until(9000 * kMillisecond);
  EXPECT_EQ(shifted.place(ms(0, 9500), std::string(30, 'x')), ms(9000, 12000));
}

TEST(CaptionTimeline, FollowsThePolicyOfWhatIsLate) {
  const TimeSpan window = ms(0, 4000);
  const std::string sixty(60, 'x');
  for (const auto &[policy, wanted] :
       {std::pair{LatePolicy::immediate, ms(3000, 4000)}, std::pair{LatePolicy::shift, ms(3000, 6000)}}) {
    auto line = timeline(policy);
    EXPECT_FALSE(line.is_taken(window));
    line.silence_until(3000 * kMillisecond);
    EXPECT_TRUE(line.is_taken(window));
    EXPECT_TRUE(line.is_missed(window));
    EXPECT_EQ(line.place(window, sixty), wanted);
  }
  auto shifted = timeline(LatePolicy::shift);
  shifted.silence_until(9000 * kMillisecond);
  EXPECT_EQ(shifted.place(window, std::string(4000, 'x')), ms(9000, 13000))
      << "at most as long as its window";
  auto gone = timeline(LatePolicy::immediate);
  gone.silence_until(4000 * kMillisecond);
  EXPECT_EQ(gone.place(window, "Gone."), std::nullopt);
}

TEST(CaptionTimeline, TellsTimeGoneToSilenceFromTimeOfACaption) {
  auto line = timeline();
  ASSERT_TRUE(line.place(ms(0, 3000), "One."));
  EXPECT_TRUE(line.is_taken(ms(2000, 4000)));
  EXPECT_FALSE(line.is_missed(ms(2000, 4000)));
  EXPECT_EQ(line.place(ms(2000, 4000), "Two."), ms(3000, 4000));
}

TEST(CaptionTimeline, GoesBackwards) {
  CaptionTimeline line;
  line.begin(~uint64_t{0}, true);
  EXPECT_EQ(line.place(ms(4000, 6000), "Last."), ms(4000, 6000));
  EXPECT_EQ(line.place(ms(2000, 4500), "Middle."), ms(2000, 4000));
  EXPECT_EQ(line.silence_until(9000 * kMillisecond), std::nullopt);
}

TEST(CaptionTimeline, NeverOverlapsWhateverComes) {
  std::mt19937_64 random(3);
  for (const LatePolicy policy : {LatePolicy::drop, LatePolicy::shift, LatePolicy::immediate}) {
    auto line = timeline(policy);
    uint64_t given = 0, at = 0;
    for (int i = 0; i < 20000; ++i) {
      at += random() % (2 * kSecond);
      const TimeSpan window{at, at + 1 + random() % (6 * kSecond)};
      const std::string text(1 + random() % 100, 'x');
      const auto kind = random() % 3;
      const auto span = kind == 0   ? line.silence_until(window.start)
                        : kind == 1 ? line.place(window, text)
                                    : line.place_sentence(window, text);
      if (!span) continue;
      ASSERT_GE(span->start, given) << i;
      ASSERT_GT(span->end, span->start) << i;
      given = span->end;
    }
  }
}

TEST(FrameSampler, AsksWithTheFirstFrameOfEachWindow) {
  FrameSampler sampler(kSecond, 1);
  for (uint64_t frame = 0; frame < 90; ++frame) {
    const auto decision = sampler.on_frame(frame * kSecond / 30);
    EXPECT_EQ(decision.window.has_value(), frame % 30 == 0) << frame;
    EXPECT_EQ(decision.keep, frame % 30 == 0) << frame;
  }
}

TEST(FrameSampler, KeepsFramesSpreadOverTheWindow) {
  FrameSampler sampler(3 * kSecond, 3);
  std::vector<uint64_t> kept;
  for (uint64_t frame = 0; frame < 60; ++frame)
    if (sampler.on_frame(frame * kSecond / 10).keep) kept.push_back(frame);
  EXPECT_EQ(kept, (std::vector<uint64_t>{0, 10, 20, 30, 40, 50}));
}

TEST(FrameSampler, AsksAgainAfterAResetAndAcrossHoles) {
  FrameSampler sampler(kSecond, 1);
  EXPECT_TRUE(sampler.on_frame(500 * kMillisecond).window);
  EXPECT_FALSE(sampler.on_frame(600 * kMillisecond).window);
  sampler.reset();
  const auto again = sampler.on_frame(600 * kMillisecond);
  ASSERT_TRUE(again.window);
  EXPECT_EQ(again.window->start, 0u);
  const auto far = sampler.on_frame(7300 * kMillisecond);
  ASSERT_TRUE(far.window);
  EXPECT_EQ(far.window->start, 7 * kSecond);
  EXPECT_EQ(far.window->end, 8 * kSecond);
}

TEST(FrameSampler, LeavesOutWhatHasBeenThereBefore) {
  for (const bool falling : {false, true}) {
    FrameSampler sampler(kSecond, 2);
    const auto at = [&](uint64_t ms) {
      return sampler.on_frame((falling ? 20000 - ms : ms) * kMillisecond, falling);
    };
    EXPECT_TRUE(at(5600).window);
    for (const uint64_t ms : {4900, 3500, 100}) {
      EXPECT_FALSE(at(ms).window) << ms;
      EXPECT_FALSE(at(ms).keep) << ms;
    }
    EXPECT_FALSE(at(5650).window) << "that window was asked about before";
    EXPECT_TRUE(at(6600).window);
    EXPECT_FALSE(at(5700).window);
    EXPECT_TRUE(at(7600).window);
  }
}

TEST(FrameSampler, SurvivesTheEndOfTime) {
  FrameSampler sampler(86400 * kSecond, 16);
  const auto last = sampler.on_frame(~uint64_t{0} - 1);
  ASSERT_TRUE(last.window);
  EXPECT_GT(last.window->end, last.window->start);
}

}  // namespace
}  // namespace genclip
